// Lists voided purchases, page by page (the specification, "getVoidedPurchases query parameters";
// docs/decisions/purchases.md).

import { getVoidedPurchases as operation } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { VoidedPurchases } from '@opentill/contract/resources.ts';
import type { PackageName } from '../../domain/identifiers.ts';
import { encodeContinuationKey } from '../../domain/purchases/continuation-key.ts';
import { decideVoidedRange, type VoidedRange } from '../../domain/purchases/voided-range.ts';
import { pause } from '../../runtime/pause.ts';
import { type VoidedPage, voidedPageReader } from '../../store/purchases/voided-purchases.ts';
import type { Store } from '../../store/store.ts';
import { type AppHandler, appHandler } from '../app-handler.ts';
import { Refusal } from '../refusal.ts';

/** How far in the future `endTime` may be, in ms of the app's clock. The call waits until then: clients' clocks differ. */
const awaitedMsMax = 2_000;

/** The time that a server expects may differ by this from the database's, in ms, without another range. */
const expectedWithinMs = 1_000;

/** The first secret signs continuation keys, all of them verify. */
export function getVoidedPurchases(store: Store, secrets: readonly Buffer[]): AppHandler {
  const readPage = voidedPageReader(store);
  return appHandler(operation, async ({ packageName, query }) => {
    const key = { packageName, secrets };
    const decide = (at: Present) => decideVoidedRange(query, at, packageName, secrets);
    const readRange = ({ maxResults, start, end, isEndOpen, after }: VoidedRange) =>
      readPage({ packageName, start, end, isEndOpen, after, limit: maxResults + 1 });
    const readPresent = () =>
      readPage({ packageName, start: 0, end: 0, isEndOpen: true, after: undefined, limit: 0 });

    // 1. The page at the time that is expected: usually the database has the same.
    const now = store.clock.expected();
    const likely = decide({ now, latest: now });
    if (likely.kind === 'refused' && likely.aheadMs === undefined) return refusalOf(likely.reason);
    if (likely.kind === 'range') {
      const page = await readRange(likely);
      if (likely.after !== undefined) return responseOf(page.entries, likely, key);
      const end = settledEnd(likely, page);
      if (end !== undefined && Math.abs(page.now - now) <= expectedWithinMs) {
        return responseOf(page.entries, { ...likely, end }, key);
      }
    }

    // 2. The time of the app, from which a bound may be just ahead.
    let present: Present = await readPresent();
    const aheadMs = aheadOf(decide(present));
    if (aheadMs > 0 && aheadMs <= awaitedMsMax) {
      await pause(aheadMs);
      present = await readPresent();
    }

    // 3. The page at that time; its end can only be later if the clock was set back in the meantime.
    const range = decide(present);
    if (range.kind === 'refused') {
      return refusalOf(range.reason + clockHint(store, present, (at) => decide(at).kind === 'range'));
    }
    const page = await readRange(range);
    const end = settledEnd(range, page);
    return end === undefined ? new Refusal('unavailable') : responseOf(page.entries, { ...range, end }, key);
  });
}

type Present = Pick<VoidedPage, 'now' | 'latest'>;
type Decision = ReturnType<typeof decideVoidedRange>;

const aheadOf = (decided: Decision): number => (decided.kind === 'refused' ? (decided.aheadMs ?? 0) : 0);

const refusalOf = (reason: string) => new Refusal('searchRuleViolated', `${reason}.`);

/** The end of the range of a first page; undefined if voids may still be dated before it. */
function settledEnd({ isEndOpen, end }: VoidedRange, { latest }: Present): number | undefined {
  if (isEndOpen) return latest;
  return end <= latest ? end : undefined;
}

/** In the sandbox: that now is the time of the app's clock, if that is not real time, and whether real time would fit. */
function clockHint(
  { environment, clock }: Store,
  { now }: Present,
  isAllowed: (at: Present) => boolean,
): string {
  const realNow = clock.expected();
  if (environment === 'production' || Math.abs(now - realNow) <= expectedWithinMs) return '';
  const fits = isAllowed({ now: realNow, latest: realNow }) ? ', and the range would fit the real time' : '';
  return `; now is the time of the app's clock (getClock)${fits}`;
}

/** An entry beyond `maxResults` means that there is a next page. */
function responseOf(
  entries: VoidedPage['entries'],
  { start, end, maxResults }: Pick<VoidedRange, 'start' | 'end' | 'maxResults'>,
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
