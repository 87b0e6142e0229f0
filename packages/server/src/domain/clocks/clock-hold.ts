// When time-driven work is held because the database's time is far from the mark (docs/decisions/clocks.md).

import { quoteInstant } from '../text/quoted-value.ts';
import { dayMs } from '../time.ts';

/** Between the clocks of two machines that are synchronized; a larger difference is reported. */
export const clockDifferenceSecondsMax = 60;

/** The database's time may be this far past the mark, in ms: a store that was stopped over a weekend continues. */
export const markAheadMaxMs = 3 * dayMs;

/** The database's time may be this far before the mark, in ms: clocks are corrected by steps of this size. */
const markBehindMaxMs = clockDifferenceSecondsMax * 1000;

/** The database's time is far past the mark (`ahead`) or before it (`behind`). */
type ClockHoldReason = 'ahead' | 'behind';

export interface ClockHold {
  readonly reason: ClockHoldReason;
  /** One sentence for operators. */
  readonly message: string;
}

interface MarkedTime {
  readonly databaseNow: number;
  /** The last time of the database that was stored; undefined before the first. */
  readonly mark: number | undefined;
  /** Whether work was held because the database's time was before the mark, which it has to reach. */
  readonly wasBehind: boolean;
}

/** Returns undefined if nothing is held. */
export function decideClockHold({ databaseNow, mark, wasBehind }: MarkedTime): ClockHold | undefined {
  if (mark === undefined) return undefined;
  const aheadMs = databaseNow - mark;
  const times = `The database's time is ${quoteInstant(databaseNow)}, and it was ${quoteInstant(mark)} when last stored`;
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
