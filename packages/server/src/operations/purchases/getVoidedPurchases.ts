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
import { type PurchaseHandler, purchaseHandler } from '../purchase-handler.ts';
import { Refusal } from '../refusal.ts';

/** A bound that is ahead by at most this, in ms of the app's clock, is answered when it has passed: clocks of clients differ. */
const awaitedMsMax = 2_000;

/** The time that a server expects may differ by this from the database's, in ms, without another range. */
const expectedWithinMs = 1_000;

/** The time is expected, confirmed and awaited, each once; one more for a clock that is set back in the meantime. */
const readingsMax = 4;

/** The first secret signs continuation keys, all of them verify. */
export function getVoidedPurchases(store: Store, secrets: readonly Buffer[]): PurchaseHandler {
  const readPage = voidedPageReader(store);
  return purchaseHandler(operation, async ({ packageName, query, now }) => {
    const decide = (at: Present) => decideVoidedRange(query, at, packageName, secrets);
    const readPresent = () =>
      readPage({ packageName, start: 0, end: 0, isEndOpen: true, after: undefined, limit: 0 });
    let present: Present = { now, latest: now };
    let isConfirmed = false;
    let hasWaited = false;
    for (let reading = 0; reading < readingsMax; reading += 1) {
      const decided = decide(present);
      if (decided.kind === 'refused') {
        const { aheadMs, reason } = decided;
        const mayWait = isConfirmed && aheadMs !== undefined && aheadMs > 0 && aheadMs <= awaitedMsMax;
        if (aheadMs === undefined || (isConfirmed && (hasWaited || !mayWait))) {
          const clock = clockHint(store, present, (at) => decide(at).kind === 'range');
          return new Refusal('searchRuleViolated', `${reason}${aheadMs === undefined ? '' : clock}.`);
        }
        if (mayWait) {
          await pause(aheadMs);
          hasWaited = true;
        }
        present = await readPresent();
        isConfirmed = true;
        continue;
      }
      const { start, end, isEndOpen, after } = decided;
      const page = await readPage({
        packageName,
        start,
        end,
        isEndOpen,
        after,
        limit: decided.maxResults + 1,
      });
      if (after !== undefined) return answerOf(page.entries, decided, { packageName, secrets });
      const isExpected = isConfirmed || Math.abs(page.now - present.now) <= expectedWithinMs;
      const settledEnd = isEndOpen ? page.latest : end;
      if (isExpected && settledEnd <= page.latest) {
        return answerOf(page.entries, { ...decided, end: settledEnd }, { packageName, secrets });
      }
      present = page;
      isConfirmed = true;
    }
    return new Refusal('unavailable');
  });
}

type Present = Pick<VoidedPage, 'now' | 'latest'>;

/** In the sandbox: that now is the time of the app's clock, if that is not real time, and whether real time would fit. */
function clockHint(
  { environment, clock }: Pick<Store, 'environment' | 'clock'>,
  { now }: Present,
  isAllowed: (at: Present) => boolean,
): string {
  const realNow = clock.expected();
  if (environment === 'production' || Math.abs(now - realNow) <= expectedWithinMs) return '';
  const fits = isAllowed({ now: realNow, latest: realNow }) ? ', and the range would fit the real time' : '';
  return `; now is the time of the app's clock (getClock)${fits}`;
}

/** An entry beyond `maxResults` means that there is a next page. */
function answerOf(
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
