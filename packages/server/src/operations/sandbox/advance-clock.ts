// Moves the clock of an app forward and lets all that falls due until then happen, in the order of time
// (docs/decisions/sandbox.md).

import { happenedMax } from '@opentill/contract/clock-resources.ts';
import { BoundedQueue } from '../../runtime/bounded-queue.ts';
import { pause } from '../../runtime/pause.ts';
import type { Queryable } from '../../store/connection/database.ts';
import type { EventRow } from '../../store/events/event-rows.ts';
import type { Author } from '../../store/events/events.ts';
import { countHappenedEvents, listHappenedEvents } from '../../store/events/happened-events.ts';
import {
  type AdvanceAim,
  type BegunAdvance,
  beginAdvance,
  type ClockLease,
  LeaseLost,
  type LeaseParts,
} from './clock-lease.ts';

/** Advances that one server runs at once: each keeps a part of the database busy. */
const advancesAtOnceMax = 4;

/** Advances that wait for a place: more than this cannot get one in time. */
const advancesWaitingMax = 1_000;

/** An advance that has no place after this time is not begun, in ms. */
const advanceWaitMs = 30_000;

/** Due items that one advance takes on: more than this is a mistake rather than a test. */
const advanceItemsMax = 1_000_000;

/** An advance that takes longer stops where it is, in ms: most clients give up on an answer after 300 s. */
const advanceWithinMs = 240_000;

/** Items that share two transactions, each of which stays far below its bound. */
const batchMax = 200;

/** A month that is paid now begins where the last one ended, however late that is, and lasts at least so long. */
const paidMonthMs = 27 * 24 * 60 * 60 * 1000;

/** Any answer but a payment brings the same charge back, after a minute at the earliest. */
const unpaidPauseMs = 60_000;

/** What somebody else has in hand is looked for again after this time, in ms. */
const heldPauseMs = 50;

/** A repeat of an advance whose server seems dead looks this often, in ms, whether its lease is prolonged. */
const repeatPauseMs = 250;

/** By then the lease has been prolonged or has ended. */
const repeatLooksMax = 24;

/** A subscription that something happens to at `dueTime`, an instant of the app. */
interface DueItem {
  readonly firstPurchaseId: string;
  readonly dueTime: number;
  /** Where the last paid month ends. */
  readonly expiryTime: number;
}

export interface AdvanceParts extends LeaseParts {
  /** What falls due first, in order. */
  readonly listDue: (of: {
    readonly packageName: string;
    readonly until: number;
    readonly limit: number;
  }) => Promise<readonly DueItem[]>;
  /**
   * Lets the items happen in their order, each at its due time or at `now` if that is later; gives how many of
   * them did. `moveClock` is part of each transaction that writes.
   */
  readonly happen: (batch: {
    readonly packageName: string;
    readonly items: readonly DueItem[];
    readonly now: number;
    readonly author: Author;
    readonly moveClock: (transaction: Queryable, appTime: number) => Promise<void>;
  }) => Promise<number>;
  /** Whether each charge of the app will be paid at once. */
  readonly paysAtOnce: (packageName: string) => Promise<boolean>;
  /** The server is about to stop. */
  readonly isStopping: () => boolean;
}

interface AdvanceRequest extends AdvanceAim {
  readonly requestId: string;
}

export type Advance =
  | {
      readonly kind: 'done';
      readonly now: number;
      readonly count: number;
      readonly happened: readonly EventRow[];
      readonly eventsAfter: number;
    }
  /** It ended before it got there, and goes on when it is repeated with the same `to`. */
  | {
      readonly kind: 'tooMuch' | 'tooLong' | 'stopping' | 'lost';
      readonly to: number;
      readonly now: number;
    }
  /** The server has no place for it. */
  | { readonly kind: 'noPlace' }
  | Exclude<BegunAdvance, { kind: 'begun' }>;

/** @throws DatabaseUnavailable: then it goes on when it is repeated. */
export type AdvanceApp = (request: AdvanceRequest) => Promise<Advance>;

/** Who is kept as the author of what falls due. Of an advance too: the job would have done it in time. */
export const renewalAuthor = 'job:renewals';

/** Moves clocks, a few at once: who comes meanwhile waits for a place. */
export function clockAdvancer(parts: AdvanceParts): AdvanceApp {
  const queue = new BoundedQueue({
    concurrency: advancesAtOnceMax,
    waitingMax: advancesWaitingMax,
    waitMs: advanceWaitMs,
  });
  return async (request) => {
    const advance = await queue.run(() => advanceApp(parts, request));
    return advance ?? { kind: 'noPlace' };
  };
}

async function advanceApp(parts: AdvanceParts, request: AdvanceRequest): Promise<Advance> {
  const begun = await beginOrRepeat(parts, request);
  if (begun.kind !== 'begun') return begun;
  const { lease, to } = begun;
  try {
    const end = await lease.keepDuring(() => passTime(parts, { request, lease, to }));
    if (end !== 'done') {
      await lease.release({ appTime: lease.now, advanceTo: to });
      return { kind: end, to, now: lease.now };
    }
    await lease.release({ appTime: to, advanceTo: null });
    const { packageName, requestId } = request;
    const of = { packageName, requestId, after: begun.eventsAfter };
    const happened = await listHappenedEvents(parts.database, { ...of, limit: happenedMax });
    const eventsAfter = happened.at(-1)?.order ?? begun.eventsAfter;
    const count =
      happened.length + (await countHappenedEvents(parts.database, { ...of, after: eventsAfter }));
    return { kind: 'done', now: lease.now, count, happened, eventsAfter };
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'lost', to, now: lease.now };
    throw error;
  }
}

/** A repeat with the same `to` waits until the lease of a dead server ends; a living one prolongs its own. */
async function beginOrRepeat(parts: AdvanceParts, request: AdvanceRequest): Promise<BegunAdvance> {
  let seen: number | undefined;
  for (let look = 0; ; look += 1) {
    const begun = await beginAdvance(parts, request);
    if (begun.kind !== 'underWay' || begun.aim !== request.to) return begun;
    seen ??= begun.leaseUntil;
    if (begun.leaseUntil > seen || look >= repeatLooksMax) return begun;
    await pause(repeatPauseMs);
  }
}

interface Passing {
  readonly request: AdvanceRequest;
  readonly lease: ClockLease;
  readonly to: number;
}

async function passTime(
  parts: AdvanceParts,
  { request, lease, to }: Passing,
): Promise<'done' | 'tooMuch' | 'tooLong' | 'stopping'> {
  const { packageName, requestId } = request;
  const author = { madeBy: renewalAuthor, requestId };
  const deadline = performance.now() + advanceWithinMs;
  let room = advanceItemsMax;
  for (;;) {
    if (parts.isStopping()) return 'stopping';
    if (performance.now() >= deadline) return 'tooLong';
    const limit = Math.max(1, Math.min(batchMax, room));
    const due = await parts.listDue({ packageName, until: to, limit });
    if (due.length === 0) return 'done';
    if (room <= 0) return 'tooMuch';
    const batch = batchOf(due, { isPaid: await parts.paysAtOnce(packageName) });
    const happened = await parts.happen({
      packageName,
      items: batch,
      now: lease.now,
      author,
      moveClock: (transaction, appTime) => lease.move(transaction, appTime),
    });
    room -= happened;
    if (happened === 0) await pause(heldPauseMs);
  }
}

/** The items that can happen together: nothing that they bring about falls due before the last of them. */
function batchOf(due: readonly DueItem[], { isPaid }: { readonly isPaid: boolean }): readonly DueItem[] {
  const batch: DueItem[] = [];
  let dueAgain = Number.POSITIVE_INFINITY;
  for (const item of due) {
    if (batch.length > 0 && item.dueTime >= dueAgain) break;
    batch.push(item);
    dueAgain = Math.min(dueAgain, item.expiryTime + paidMonthMs);
    if (!isPaid) dueAgain = Math.min(dueAgain, item.dueTime + unpaidPauseMs);
  }
  return batch;
}
