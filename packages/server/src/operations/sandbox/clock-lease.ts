// The lease of an advance on the clock of an app. A server that dies leaves a correct clock and a lease that expires
// (docs/decisions/sandbox.md).

import { clockLeaseMs } from '../../domain/clocks/leases.ts';
import { appNow, decideAdvance, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import { pause } from '../../runtime/pause.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { findEventOrder } from '../../store/events/happened-events.ts';
import { lockAppClock, moveAppClock, updateAppClock } from '../../store/sandbox/app-clocks.ts';
import type { RecordAction } from '../audit/action-recorder.ts';

/** Work on the clock of an app queues under this name. */
export const clockRecord = 'clock';

/** The conflict of calls that change the clock of an app during an advance. */
export const advanceInFlight = 'The clock of this app is being advanced: retry when that call has returned.';

/** A server extends its lease at this interval, in ms. */
const extendEveryMs = 1_000;

const holderBytes = 9;

export interface LeaseParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Durations follow its calendar. */
  readonly timeZone: string;
}

export interface AdvanceAim {
  readonly packageName: string;
  readonly by?: string | undefined;
  readonly to?: number | undefined;
  readonly recordAction: RecordAction;
}

export type BegunAdvance =
  | { readonly kind: 'begun'; readonly lease: ClockLease; readonly to: number; readonly eventsAfter: number }
  | { readonly kind: 'refused'; readonly field?: 'by' | 'to'; readonly message: string }
  /** Another advance to `aim` has the lease until this real time. */
  | { readonly kind: 'inFlight'; readonly leaseUntil: number; readonly aim: number | null };

/** Acquires the lease for an advance; from then on, only its holder moves the clock. */
export function beginAdvance(parts: LeaseParts, aim: AdvanceAim): Promise<BegunAdvance> {
  const { database, clock, randomness, timeZone } = parts;
  const { packageName, by, to, recordAction } = aim;
  return database.transaction({ packageName, record: clockRecord }, async (transaction) => {
    const { locked, realNow } = await lockAppClock(transaction, { packageName, clock });
    if (isAdvancing(locked, realNow)) {
      return { kind: 'inFlight', leaseUntil: locked.leaseUntil ?? 0, aim: locked.advanceTo };
    }
    const now = appNow(locked, realNow);
    const decision = decideAdvance({ by, to, now, timeZone });
    if (!('to' in decision)) return { kind: 'refused', ...decision };
    const leaseHolder = randomness.bytes(holderBytes).toString('base64url');
    const leaseUntil = realNow + clockLeaseMs;
    await updateAppClock(transaction, packageName, {
      ...locked,
      appTime: now,
      realTime: leaseUntil,
      advanceTo: decision.to,
      leaseHolder,
      leaseUntil,
    });
    const eventsAfter = await findEventOrder(transaction, packageName);
    await recordAction(transaction, packageName, `to ${decision.to}`);
    const lease = new ClockLease(parts, { packageName, holder: leaseHolder, now });
    return { kind: 'begun', lease, to: decision.to, eventsAfter };
  });
}

/** Another advance has the lease, or the clock was reset: this advance must not write anything more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export class ClockLease {
  readonly #parts: LeaseParts;
  readonly #packageName: string;
  readonly #holder: string;
  #now: number;

  constructor(parts: LeaseParts, of: { packageName: string; holder: string; now: number }) {
    this.#parts = parts;
    this.#packageName = of.packageName;
    this.#holder = of.holder;
    this.#now = of.now;
  }

  /** The app's time, as far as this lease has moved it. */
  get now(): number {
    return this.#now;
  }

  /**
   * Moves the clock to `appTime` in the transaction of the caller.
   * @throws LeaseLost
   */
  async move(queryable: Queryable, appTime: number): Promise<void> {
    const realNow = this.#parts.clock.now();
    const move = { packageName: this.#packageName, holder: this.#holder, appTime, realNow };
    const moved = await moveAppClock(queryable, { ...move, leaseUntil: realNow + clockLeaseMs });
    if (moved === undefined) throw new LeaseLost('The lease on the clock of the app is lost.');
    this.#now = Math.max(this.#now, moved);
  }

  /** Runs `work` and extends the lease until it ends. */
  async keepDuring<Result>(work: () => Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const kept = this.#extend(ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
      await kept;
    }
  }

  /** A failure to extend is ignored, because the next `move` fails if the lease is lost. */
  async #extend(signal: AbortSignal): Promise<void> {
    const { database } = this.#parts;
    const scope = { packageName: this.#packageName, record: clockRecord };
    while (!signal.aborted) {
      try {
        await pause(extendEveryMs, { signal });
        await database.enqueue(scope, () => this.move(database, this.#now));
      } catch {
        // Aborted, lost, or the database is unavailable.
      }
    }
  }

  /**
   * Releases the lease and moves the clock to `appTime` if that is later; a running clock continues from there.
   * `advanceTo` is the aim of an advance that ended early.
   * @throws LeaseLost
   */
  release(at: { appTime: number; advanceTo: number | null }): Promise<void> {
    const { database, clock } = this.#parts;
    const packageName = this.#packageName;
    return database.transaction({ packageName, record: clockRecord }, async (transaction) => {
      const { locked, realNow } = await lockAppClock(transaction, { packageName, clock });
      if (locked.leaseHolder !== this.#holder) {
        throw new LeaseLost('The lease on the clock of the app is lost.');
      }
      const appTime = Math.max(appNow(locked, realNow), at.appTime);
      const free = { leaseHolder: null, leaseUntil: null };
      await updateAppClock(transaction, packageName, {
        ...locked,
        ...free,
        appTime,
        realTime: realNow,
        advanceTo: at.advanceTo,
      });
      this.#now = appTime;
    });
  }
}
