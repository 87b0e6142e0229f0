// Reads the voided list: all pages of a range, and new entries from run to run.

import type { GetVoidedPurchasesParameters, VoidedPurchase, VoidedPurchases } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

type Read = (parameters: GetVoidedPurchasesParameters) => Promise<VoidedPurchases>;

/** The position in the voided list up to which voids were processed; can be stored as JSON. */
export interface VoidedPosition {
  /** voidedTime of the last processed void, in ms. */
  readonly time: number;
  /** The processed purchases with that voidedTime, which the next run skips. */
  readonly purchaseIds: readonly string[];
}

/** One step of followVoidedPurchases. */
export interface VoidedStep {
  /** In the order of voiding; empty if the position advances over a time without voids. */
  readonly voidedPurchases: readonly VoidedPurchase[];
  /** Store it in one transaction with the effects of the purchases, so that none is lost or repeated. */
  readonly position: VoidedPosition;
}

/** @throws OpenTillError, also if the server repeats a continuationKey */
export async function* voidedPages(
  read: Read,
  range: GetVoidedPurchasesParameters,
): AsyncGenerator<readonly VoidedPurchase[], void, undefined> {
  let page = await read(range);
  yield page.voidedPurchaseList;
  while (page.continuationKey !== undefined) {
    const { continuationKey } = page;
    // The key includes the range.
    page = await read({ continuationKey, maxResults: range.maxResults });
    if (page.continuationKey === continuationKey) {
      throw new OpenTillError(
        'getVoidedPurchases',
        'the response repeats the continuationKey of the request',
      );
    }
    yield page.voidedPurchaseList;
  }
}

/** The start of a run of followVoidedPurchases, and the function that stores its results. */
export interface Follow {
  /** The last position passed to `save`, or an instant in ms for the first run. */
  readonly since: VoidedPosition | number;
  readonly save: (step: VoidedStep) => void | Promise<void>;
  readonly maxResults?: number | undefined;
}

/** A range with an endTime alone starts this long before it, in ms: the month of the server. */
const monthMs = 31 * 24 * 60 * 60 * 1000;

/** After a month without voids, the position moves to this long before its end, in ms: a clock may have been set back. */
const overlapMs = 60 * 60 * 1000;

const searchRuleViolated = 9101;

/** Runs to the end of the list and returns the position where the next run starts. */
export async function followVoided(read: Read, { since, save, maxResults }: Follow): Promise<VoidedPosition> {
  const start = typeof since === 'number' ? { time: since, purchaseIds: [] } : since;
  let position = start;
  const take = async (range: GetVoidedPurchasesParameters): Promise<void> => {
    for await (const page of voidedPages(read, { ...range, maxResults })) {
      const voidedPurchases = unseen(page, position);
      if (voidedPurchases.length === 0) continue;
      position = positionAfter(voidedPurchases, position);
      await save({ voidedPurchases, position });
    }
  };
  const takeMonth = async (from: VoidedPosition): Promise<void> => {
    const endTime = from.time + monthMs;
    await take({ endTime });
    if (position !== from) return;
    position = { time: endTime - overlapMs, purchaseIds: [] };
    await save({ voidedPurchases: [], position });
  };
  for (;;) {
    const from = position;
    const refusal = await refusalOf(take({ startTime: from.time }));
    if (refusal === undefined) break;
    // A startTime is at most a month old, but any endTime that has passed is accepted; another reason refuses both.
    if ((await refusalOf(takeMonth(from))) !== undefined) throw refusal;
  }
  // The start of the first run is saved too, so that the second run includes what is voided in between.
  if (position === start && start !== since) await save({ voidedPurchases: [], position });
  return position;
}

/** Resolves to the error of a rejected query, or undefined. */
async function refusalOf(work: Promise<void>): Promise<OpenTillError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof OpenTillError && error.code === searchRuleViolated) return error;
    throw error;
  }
}

function unseen(page: readonly VoidedPurchase[], { time, purchaseIds }: VoidedPosition): VoidedPurchase[] {
  return page.filter(
    ({ voidedTime, purchaseId }) => voidedTime !== time || !purchaseIds.includes(purchaseId),
  );
}

function positionAfter(page: readonly VoidedPurchase[], before: VoidedPosition): VoidedPosition {
  const time = page.at(-1)?.voidedTime ?? before.time;
  const ofInstant = page.filter(({ voidedTime }) => voidedTime === time).map(({ purchaseId }) => purchaseId);
  return { time, purchaseIds: time === before.time ? [...before.purchaseIds, ...ofInstant] : ofInstant };
}
