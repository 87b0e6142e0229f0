// When clock-driven work is held because a clock may be wrong (docs/decisions/clocks.md).

import { dayMs } from '../time.ts';

/** The maximum clock skew between two servers, or between a server and its database. */
export const clockDifferenceSecondsMax = 60;

/** The database's time may be this far past the mark, in ms: a store that was stopped over a weekend continues. */
export const markAheadMaxMs = 3 * dayMs;

/** The database's time may be this far before the mark, in ms: clocks are corrected by steps of this size. */
export const markBehindMaxMs = clockDifferenceSecondsMax * 1000;

/**
 * `skew`: this server and the database disagree. `ahead`: the database's time is far past the mark, or has jumped.
 * `behind`: it is before the mark.
 */
export type ClockHoldReason = 'skew' | 'ahead' | 'behind';

export interface ClockHold {
  readonly reason: ClockHoldReason;
  /** One sentence for operators. */
  readonly message: string;
}

/** A reading of the database's time, and the monotonic times before and after it, in ms. */
export interface TimedReading {
  readonly databaseNow: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Whether the database's time advanced by over 60 seconds more or less than the monotonic clock between two readings,
 * whenever it was read within them: a slow reading is not a jump.
 */
export function isJump(before: TimedReading, after: TimedReading): boolean {
  const advancedMs = after.databaseNow - before.databaseNow;
  const shortestMs = after.startedAt - before.endedAt;
  const longestMs = after.endedAt - before.startedAt;
  return Math.max(advancedMs - longestMs, shortestMs - advancedMs) > clockDifferenceSecondsMax * 1000;
}

interface Clocks {
  /** Between this server and the database. */
  readonly skewMs: number;
  readonly databaseNow: number;
  /** The last time of the database that the job stored; undefined before the first. */
  readonly mark: number | undefined;
  /** Whether a server saw the database's time jump, and no operator has confirmed it since. */
  readonly hasJumped: boolean;
  /** Whether work was held because the database's time was before the mark, which it has to pass. */
  readonly wasBehind: boolean;
}

/** Returns undefined if nothing is held. */
export function decideClockHold({
  skewMs,
  databaseNow,
  mark,
  hasJumped,
  wasBehind,
}: Clocks): ClockHold | undefined {
  const problem = clockProblem(skewMs);
  if (problem !== undefined) return { reason: 'skew', message: problem };
  if (hasJumped) {
    const message = `The database's time has jumped, and is ${shownTime(databaseNow)}: check the clock, then resume renewals.`;
    return { reason: 'ahead', message };
  }
  if (mark === undefined) return undefined;
  const aheadMs = databaseNow - mark;
  const times = `The database's time is ${shownTime(databaseNow)}, and it was ${shownTime(mark)} when last stored`;
  if (aheadMs > markAheadMaxMs) {
    return { reason: 'ahead', message: `${times}: check the clock, then resume renewals.` };
  }
  if (aheadMs < (wasBehind ? 0 : -markBehindMaxMs)) {
    return {
      reason: 'behind',
      message: `${times}: check the clock, then wait until then or resume renewals.`,
    };
  }
  return undefined;
}

/** Explains why a server with this clock skew must not start or work by its clock; undefined if it may. */
export function clockProblem(skewMs: number): string | undefined {
  if (skewMs <= clockDifferenceSecondsMax * 1000) return undefined;
  return (
    `The clock of this machine is ${Math.ceil(skewMs / 1000)} seconds away from that of the database's machine, ` +
    `and ${clockDifferenceSecondsMax} are allowed: synchronize the clocks (NTP).`
  );
}

function shownTime(time: number): string {
  return new Date(time).toISOString();
}
