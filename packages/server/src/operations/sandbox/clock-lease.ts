// The lease of an advance on the clock of an app. A server that dies leaves a correct clock and a lease that expires
// (docs/decisions/sandbox.md).

import { clockLeaseMs } from '../../domain/clocks/leases.ts';
import { appNow, decideAdvance, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { pause } from '../../runtime/pause.ts';
import { leaseHolder, type Randomness } from '../../runtime/randomness.ts';
import type { DatedStore, StoreClock } from '../../store/clocks/store-clock.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { findEventOrder } from '../../store/events/happened-events.ts';
import { lockAppClockToSet, moveAppClock, updateAppClock } from '../../store/sandbox/app-clocks.ts';
import type { RecordAction } from '../operator-handler.ts';

/** The conflict of calls that change the clock of an app during an advance. */
export const advanceInFlight = 'The clock of this app is being advanced: retry when that call has returned.';

/** A server extends its lease at this interval, in ms. */
const extendEveryMs = 1_000;

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

export interface AdvanceStore {
  readonly store: DatedStore;
  readonly randomness: Randomness;
  readonly timeZone: string;
}

/** Acquires the lease for an advance; from then on, only its holder moves the clock. */
export function beginAdvance(
  { store: { database, clock }, randomness, timeZone }: AdvanceStore,
  aim: AdvanceAim,
): Promise<BegunAdvance> {
  const { packageName, by, to, recordAction } = aim;
  return database.transaction({ packageName }, async (transaction) => {
    const { locked, realNow } = await lockAppClockToSet(transaction, { packageName, clock });
    if (isAdvancing(locked, realNow)) {
      return { kind: 'inFlight', leaseUntil: locked.leaseUntil ?? 0, aim: locked.advanceTo };
    }
    const now = appNow(locked, realNow);
    const decision = decideAdvance({ by, to, now, timeZone });
    if (!('to' in decision)) return { kind: 'refused', ...decision };
    const holder = leaseHolder(randomness);
    const leaseUntil = realNow + clockLeaseMs;
    await updateAppClock(transaction, packageName, {
      ...locked,
      appTime: now,
      realTime: leaseUntil,
      advanceTo: decision.to,
      leaseHolder: holder,
      leaseUntil,
    });
    const eventsAfter = await findEventOrder(transaction, packageName);
    await recordAction(transaction, packageName, { clockTime: decision.to });
    const lease = new ClockLease(database, clock, { packageName, holder, now });
    return { kind: 'begun', lease, to: decision.to, eventsAfter };
  });
}

/** The lease is lost when another advance has it, or the clock was reset: then this advance must not write anything more. */
export class ClockLease {
  readonly #database: Database;
  readonly #clock: StoreClock;
  readonly #packageName: string;
  readonly #holder: string;
  #now: number;

  constructor(
    database: Database,
    clock: StoreClock,
    of: { packageName: string; holder: string; now: number },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#packageName = of.packageName;
    this.#holder = of.holder;
    this.#now = of.now;
  }

  /** The app's time, as far as this lease has moved it. */
  get now(): number {
    return this.#now;
  }

  /** Moves the clock to `appTime` in the transaction of the caller; false if the lease is lost. */
  async move(queryable: Queryable, appTime: number): Promise<boolean> {
    const { realNow } = await this.#clock.read(queryable, this.#packageName);
    const move = { packageName: this.#packageName, holder: this.#holder, appTime, realNow };
    const moved = await moveAppClock(queryable, { ...move, leaseUntil: realNow + clockLeaseMs });
    this.#now = Math.max(this.#now, moved ?? 0);
    return moved !== undefined;
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

  /** A failure to extend is ignored, because the next `move` returns whether the lease is lost. */
  async #extend(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await pause(extendEveryMs, { signal });
        await this.#database.enqueue({ packageName: this.#packageName }, () =>
          this.move(this.#database, this.#now),
        );
      } catch {
        // Aborted, or the database is unavailable.
      }
    }
  }

  /**
   * Releases the lease and moves the clock to `appTime` if that is later; a running clock continues from there.
   * `advanceTo` is the aim of an advance that ended early. False if the lease is lost.
   */
  release(at: { appTime: number; advanceTo: number | null }): Promise<boolean> {
    const packageName = this.#packageName;
    const clock = this.#clock;
    return this.#database.transaction({ packageName }, async (transaction) => {
      const { locked, realNow } = await lockAppClockToSet(transaction, { packageName, clock });
      if (locked.leaseHolder !== this.#holder) return false;
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
      return true;
    });
  }
}
