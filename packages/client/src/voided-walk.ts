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

/** Time without voids after which the position advances, because the server rejects one older than a month. */
export const idleMs = 14 * 24 * 60 * 60 * 1000;

/** A void that is being written may appear after later ones; an hour is more than enough. */
const settledMs = 60 * 60 * 1000;

const searchRuleViolated = 9101;
const maxResultsMax = 999;

/** Runs to the end of the list and returns the position where the next run starts. */
export async function followVoided(
  read: Read,
  { since, save, maxResults }: Follow,
  looksIdle: (sinceMs: number) => boolean,
): Promise<VoidedPosition> {
  const start = typeof since === 'number' ? { time: since, purchaseIds: [] } : since;
  let position = start;
  for await (const page of voidedPages(read, { startTime: start.time, maxResults })) {
    const voidedPurchases = unseen(page, position);
    if (voidedPurchases.length === 0) continue;
    position = positionAfter(voidedPurchases, position);
    await save({ voidedPurchases, position });
  }
  if (position !== start) return position;
  if (looksIdle(start.time)) position = await advance(read, start);
  // The start of the first run is saved too, so that the second run includes what is voided in between.
  if (position !== since) await save({ voidedPurchases: [], position });
  return position;
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

/**
 * Advances a position while the time after it has no new voids. The server rejects an endTime in the future, so an
 * accepted one has passed by the clock of the app.
 */
async function advance(read: Read, from: VoidedPosition): Promise<VoidedPosition> {
  const maxResults = Math.min(from.purchaseIds.length + 1, maxResultsMax);
  let position = from;
  for (;;) {
    const endTime = position.time + idleMs;
    try {
      const page = await read({ startTime: position.time, endTime, maxResults });
      const isQuiet =
        page.continuationKey === undefined && unseen(page.voidedPurchaseList, position).length === 0;
      if (!isQuiet) return position;
      position = { time: endTime - settledMs, purchaseIds: [] };
    } catch (error) {
      if (error instanceof OpenTillError && error.code === searchRuleViolated) return position;
      throw error;
    }
  }
}
