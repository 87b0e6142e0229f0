// The lease of an advance: who moves the clock of an app, and how far it has come. A server that dies leaves a
// clock that is right, and a lease that ends by itself (docs/decisions/sandbox.md).

import { appNow, decideAdvance, isAdvancing } from '../../domain/sandbox/app-clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import { pause } from '../../runtime/pause.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { findEventOrder } from '../../store/events/happened-events.ts';
import { holdAppClock, moveAppClock, updateAppClock } from '../../store/sandbox/app-clocks.ts';

/** Work on the clock of an app takes its turns by this. */
export const clockRecord = 'clock';

/** An advance whose server was killed can be repeated after this time, in ms. */
const leaseMs = 5_000;

/** A living server prolongs its lease this often, in ms. */
const prolongEveryMs = 1_000;

const holderBytes = 9;

export interface LeaseParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Durations are counted by its calendar. */
  readonly timeZone: string;
}

export interface AdvanceAim {
  readonly packageName: string;
  readonly by?: string | undefined;
  readonly to?: number | undefined;
}

export type BegunAdvance =
  | { readonly kind: 'begun'; readonly lease: ClockLease; readonly to: number; readonly eventsAfter: number }
  | { readonly kind: 'refused'; readonly field?: 'by' | 'to'; readonly message: string }
  /** Somebody else has the lease until then, real time; `aim` is what their advance goes to. */
  | { readonly kind: 'underWay'; readonly leaseUntil: number; readonly aim: number | null };

/** Takes the lease for an advance; from now on the clock stands, and goes where the lease moves it. */
export function beginAdvance(parts: LeaseParts, aim: AdvanceAim): Promise<BegunAdvance> {
  const { database, clock, randomness, timeZone } = parts;
  const { packageName, by, to } = aim;
  return database.transaction({ packageName, record: clockRecord }, async (transaction) => {
    const { held, realNow } = await holdAppClock(transaction, { packageName, clock });
    if (isAdvancing(held, realNow)) {
      return { kind: 'underWay', leaseUntil: held.leaseUntil ?? 0, aim: held.advanceTo };
    }
    const now = appNow(held, realNow);
    const decision = decideAdvance({ by, to, now, timeZone });
    if (!('to' in decision)) return { kind: 'refused', ...decision };
    const leaseHolder = randomness.bytes(holderBytes).toString('base64url');
    const leaseUntil = realNow + leaseMs;
    await updateAppClock(transaction, packageName, {
      ...held,
      appTime: now,
      realTime: leaseUntil,
      advanceTo: decision.to,
      leaseHolder,
      leaseUntil,
    });
    const eventsAfter = await findEventOrder(transaction, packageName);
    const lease = new ClockLease(parts, { packageName, holder: leaseHolder, now });
    return { kind: 'begun', lease, to: decision.to, eventsAfter };
  });
}

/** Somebody else has the lease, or the clock was reset: what this advance had in hand must not be written. */
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

  /** The app's instant, as far as this lease has moved it. */
  get now(): number {
    return this.#now;
  }

  /**
   * Moves the clock to `appTime` together with what the transaction writes.
   * @throws LeaseLost
   */
  async move(queryable: Queryable, appTime: number): Promise<void> {
    const realNow = this.#parts.clock.now();
    const move = { packageName: this.#packageName, holder: this.#holder, appTime, realNow };
    const moved = await moveAppClock(queryable, { ...move, leaseUntil: realNow + leaseMs });
    if (moved === undefined) throw new LeaseLost('Somebody else has taken the clock of the app.');
    this.#now = Math.max(this.#now, moved);
  }

  /** Runs `work` and keeps the lease meanwhile, however long a step of it takes. */
  async keepDuring<Result>(work: () => Promise<Result>): Promise<Result> {
    const ended = new AbortController();
    const kept = this.#prolong(ended.signal);
    try {
      return await work();
    } finally {
      ended.abort();
      await kept;
    }
  }

  /** A failure to prolong is no end: the next step tells whether the lease is still held. */
  async #prolong(signal: AbortSignal): Promise<void> {
    const { database } = this.#parts;
    const scope = { packageName: this.#packageName, record: clockRecord };
    while (!signal.aborted) {
      try {
        await pause(prolongEveryMs, { signal });
        await database.inTurn(scope, () => this.move(database, this.#now));
      } catch {
        // Called off, lost, or the database is away.
      }
    }
  }

  /**
   * Gives the lease back, with the clock at `appTime` where that is later than it is; it runs on from there if
   * it runs. `advanceTo` is the aim of an advance that ended early.
   * @throws LeaseLost
   */
  release(at: { appTime: number; advanceTo: number | null }): Promise<void> {
    const { database, clock } = this.#parts;
    const packageName = this.#packageName;
    return database.transaction({ packageName, record: clockRecord }, async (transaction) => {
      const { held, realNow } = await holdAppClock(transaction, { packageName, clock });
      if (held.leaseHolder !== this.#holder) {
        throw new LeaseLost('Somebody else has taken the clock of the app.');
      }
      const appTime = Math.max(appNow(held, realNow), at.appTime);
      const free = { leaseHolder: null, leaseUntil: null };
      await updateAppClock(transaction, packageName, {
        ...held,
        ...free,
        appTime,
        realTime: realNow,
        advanceTo: at.advanceTo,
      });
      this.#now = appTime;
    });
  }
}
