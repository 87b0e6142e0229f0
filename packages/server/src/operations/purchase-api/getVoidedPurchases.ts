// Lists voided purchases, page by page (the specification, "getVoidedPurchases query parameters";
// docs/decisions/voided-range.md).

import { getVoidedPurchases as operation } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { VoidedPurchases } from '@opentill/contract/resources.ts';
import { encodeContinuationKey } from '../../domain/continuation-key.ts';
import type { PackageName } from '../../domain/identifiers.ts';
import { decideVoidedRange, type VoidedRange } from '../../domain/voided-range.ts';
import type { Database } from '../../store/database.ts';
import { findLastVoidedTime, listVoided, type VoidedRow } from '../../store/voided-purchases.ts';
import { Refusal } from '../refusal.ts';
import { type PurchaseHandler, purchaseHandler } from './purchase-handler.ts';

/** `secrets` sign and verify continuation keys; the first signs. */
export function getVoidedPurchases(database: Database, secrets: readonly Buffer[]): PurchaseHandler {
  return purchaseHandler(operation, async ({ packageName, query, now }) => {
    const decide = (at: number) => decideVoidedRange(query, at, packageName, secrets);
    const first = decide(now);
    // The next walk starts at the time of the last void seen, which another server's clock may have made.
    const isAfterNow = first.kind === 'refused' && first.isAfterNow === true;
    const decided = isAfterNow
      ? decide(Math.max(now, await findLastVoidedTime(database, packageName)))
      : first;
    if (decided.kind === 'refused') {
      // What is told as now is this server's.
      const { reason } = first.kind === 'refused' ? first : decided;
      return new Refusal('searchRuleViolated', `${reason}.`);
    }
    const range = await settledRange(database, decided, { packageName, now });
    const rows = await listVoided(database, {
      packageName,
      start: range.start,
      end: range.end,
      after: { voidedTime: range.after?.voidedTime ?? 0, voidOrder: range.after?.order ?? 0 },
      limit: range.maxResults + 1,
    });
    return pageOf(rows, range, { packageName, secrets });
  });
}

/** A range up to now goes up to the latest void, whose time another server's clock may have put after now. */
async function settledRange(
  database: Database,
  range: VoidedRange,
  at: { packageName: PackageName; now: number },
): Promise<VoidedRange> {
  if (!range.endIsDerived || range.end < at.now) return range;
  return { ...range, end: Math.max(range.end, await findLastVoidedTime(database, at.packageName)) };
}

/** One row more than the page holds was asked for: it tells that there is a further entry. */
function pageOf(
  rows: readonly VoidedRow[],
  range: VoidedRange,
  key: { packageName: PackageName; secrets: readonly Buffer[] },
): VoidedPurchases {
  const page = rows.slice(0, range.maxResults);
  const voidedPurchaseList = page.map(({ purchaseId, purchaseTime, voidedTime }) => ({
    purchaseId,
    purchaseTime,
    voidedTime,
  }));
  const last = page.at(-1);
  if (last === undefined || rows.length === page.length) return { voidedPurchaseList };
  const point = {
    start: range.start,
    end: range.end,
    lastVoidedTime: last.voidedTime,
    lastOrder: last.voidOrder,
  };
  return { continuationKey: encodeContinuationKey(point, key.packageName, key.secrets), voidedPurchaseList };
}
