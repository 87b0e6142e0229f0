// Lists voided purchases, page by page (the specification, "getVoidedPurchases query parameters";
// docs/decisions/purchases.md).

import { getVoidedPurchases as operation } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { VoidedPurchases } from '@opentill/contract/resources.ts';
import type { PackageName } from '../../domain/identifiers.ts';
import { encodeContinuationKey } from '../../domain/purchases/continuation-key.ts';
import { decideVoidedRange, endToleranceMs, type VoidedRange } from '../../domain/purchases/voided-range.ts';
import {
  findLastVoidedTime,
  type VoidedPage,
  voidedPageReader,
} from '../../store/purchases/voided-purchases.ts';
import type { Uses } from '../handler-options.ts';
import { type PurchaseHandler, purchaseHandler } from '../purchase-handler.ts';
import { Refusal } from '../refusal.ts';

export function getVoidedPurchases({
  store: { database },
  continuationKeySecrets,
}: Uses<'store' | 'continuationKeySecrets'>): PurchaseHandler {
  const readPage = voidedPageReader(database);
  return purchaseHandler(operation, async ({ packageName, query, now }) => {
    const secrets = continuationKeySecrets();
    const decide = (at: number) => decideVoidedRange(query, at, packageName, secrets);
    const first = decide(now);
    // The next walk starts at the last void seen, whose time may come from the clock of another server.
    const isAfterNow = first.kind === 'refused' && first.isAfterNow === true;
    const decided = isAfterNow
      ? decide(Math.max(now, await findLastVoidedTime(database, packageName)))
      : first;
    if (decided.kind === 'refused') {
      // The message shows the time of this server as now.
      const { reason } = first.kind === 'refused' ? first : decided;
      return new Refusal('searchRuleViolated', `${reason}.`);
    }
    const page = await readPage({
      packageName,
      start: decided.start,
      end: decided.end,
      // A range up to now includes the latest void, even if the clock of another server put it after now. A start "a
      // month ago" derives an end that is before now by the latency of the request.
      isEndOpen: decided.endIsDerived && decided.end >= now - endToleranceMs,
      after: { voidedTime: decided.after?.voidedTime ?? 0, voidOrder: decided.after?.order ?? 0 },
      limit: decided.maxResults + 1,
    });
    return answerOf(page, decided, { packageName, secrets });
  });
}

/** An entry beyond `maxResults` means that there is a next page. */
function answerOf(
  { entries, end }: VoidedPage,
  { start, maxResults }: VoidedRange,
  key: { packageName: PackageName; secrets: readonly Buffer[] },
): VoidedPurchases {
  const listed = entries.slice(0, maxResults);
  const voidedPurchaseList = listed.map(({ purchaseId, purchaseTime, voidedTime }) => ({
    purchaseId,
    purchaseTime,
    voidedTime,
  }));
  const last = listed.at(-1);
  if (last === undefined || entries.length === listed.length) return { voidedPurchaseList };
  const point = { start, end, lastVoidedTime: last.voidedTime, lastOrder: last.voidOrder };
  return { continuationKey: encodeContinuationKey(point, key.packageName, key.secrets), voidedPurchaseList };
}
