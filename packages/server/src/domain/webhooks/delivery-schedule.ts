// When a failed delivery is retried, by the clock of its app (docs/decisions/events.md).

import { dayMs, hourMs, minuteMs, secondMs } from '../time.ts';

/** The delays between 13 attempts, the last of which is almost three days after the first. */
const retryDelaysMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  14 * hourMs,
  18 * hourMs,
  dayMs,
] as const;

/** A response with this status ends the retries of a delivery: 410 Gone. */
export const goneStatus = 410;

/** Attempts of one schedule. */
export const attemptsMax = retryDelaysMs.length + 1;

/** An attempt that fails this long after the first attempt of its schedule is the last one, in ms. */
export const retryForMs = 3 * dayMs;

/**
 * A delay is shortened by up to this share, so that deliveries that failed together are not retried together. Each delay is
 * still longer than the previous one.
 */
const jitterShare = 0.2;

const uint32Count = 2 ** 32;

interface FailedAttempt {
  /** Attempts of the schedule so far, including this one. */
  readonly attempts: number;
  /** The app's instant of the first attempt. */
  readonly scheduleStart: number;
  /** The app's instant of this attempt. */
  readonly now: number;
  /** A random integer from 0 to 2^32 - 1. */
  readonly drawn: number;
}

/** The app's instant at which the delivery is retried; undefined if this was the last attempt. */
export function decideRetry({ attempts, scheduleStart, now, drawn }: FailedAttempt): number | undefined {
  const delayMs = retryDelaysMs[attempts - 1];
  if (delayMs === undefined || now - scheduleStart >= retryForMs) return undefined;
  return now + Math.round(delayMs * (1 - (jitterShare * drawn) / uint32Count));
}
