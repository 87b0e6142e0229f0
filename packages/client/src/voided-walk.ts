// Walks through the voided list: over all pages of a range, and from run to run.

import type { GetVoidedPurchasesParameters, VoidedPurchase, VoidedPurchases } from './contract-types.ts';
import { OpenTillError } from './opentill-error.ts';

type Read = (parameters: GetVoidedPurchasesParameters) => Promise<VoidedPurchases>;

/** How far the voids of an app have been followed. Plain data, to be kept as JSON. */
export interface VoidedPosition {
  /** The voidedTime of the last one, ms. */
  readonly time: number;
  /** Those of that same instant that have been given: the next run begins there, and passes over them. */
  readonly purchaseIds: readonly string[];
}

export interface VoidedStep {
  /** In the order of voiding; empty when the position moves on over a time without voids. */
  readonly voidedPurchases: readonly VoidedPurchase[];
  /** To be kept together with what the purchases bring about: then nothing is missed or done twice. */
  readonly position: VoidedPosition;
}

/** @throws OpenTillError also for a walk that would not end. */
export async function* voidedPages(
  read: Read,
  range: GetVoidedPurchasesParameters,
): AsyncGenerator<readonly VoidedPurchase[], void, undefined> {
  let page = await read(range);
  yield page.voidedPurchaseList;
  while (page.continuationKey !== undefined) {
    const { continuationKey } = page;
    // The range of the key counts.
    page = await read({ continuationKey, maxResults: range.maxResults });
    if (page.continuationKey === continuationKey) {
      throw new OpenTillError(
        'getVoidedPurchases',
        'an answer with the continuationKey that it was asked by',
      );
    }
    yield page.voidedPurchaseList;
  }
}

export interface Follow {
  /** What `save` was last given, or an instant in ms to begin with. */
  readonly since: VoidedPosition | number;
  readonly save: (step: VoidedStep) => void | Promise<void>;
  readonly maxResults?: number | undefined;
}

/** Without a void for so long, a position moves on: one that is older than a month is refused. */
export const idleMs = 14 * 24 * 60 * 60 * 1000;

/** A void that is under way has its time already, and shows later. An hour is long for that. */
const settledMs = 60 * 60 * 1000;

const searchRuleViolated = 9101;
const maxResultsMax = 999;

/** One run, to the end of the list; gives the position that the next one begins with. */
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
  if (looksIdle(start.time)) position = await movedOn(read, start);
  // Where the first run began is kept as well: what is voided before the second one belongs to it.
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
 * The server takes no endTime in the future: where it takes one, that instant has passed, by the clock of the
 * app itself. What it shows until then has to be what was seen before.
 */
async function movedOn(read: Read, from: VoidedPosition): Promise<VoidedPosition> {
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
