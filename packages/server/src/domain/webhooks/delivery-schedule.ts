// When a delivery that failed is tried again: the same in both environments, by the app's clock
// (docs/decisions/webhooks.md).

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** After each attempt but the last: 13 attempts, the last of them not quite three days after the first. */
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
  24 * hourMs,
] as const;

/** Attempts of one schedule. */
export const attemptsMax = retryDelaysMs.length + 1;

/** An attempt that fails so long after the first of its schedule is the last. */
export const retryForMs = 3 * 24 * hourMs;

/**
 * A delay is shortened by up to so much, so that what failed together is not tried together again. Each delay
 * is longer than the one before all the same.
 */
const jitterShare = 0.2;

const uint32Count = 2 ** 32;

interface FailedAttempt {
  /** Attempts of the schedule so far, this one included. */
  readonly attempts: number;
  /** The app's instant of the first of them. */
  readonly scheduleStart: number;
  /** The app's instant of this one. */
  readonly now: number;
  /** From 0 to 2^32 - 1. */
  readonly drawn: number;
}

/** The app's instant from which the delivery is tried again; undefined when this was the last attempt. */
export function decideRetry({ attempts, scheduleStart, now, drawn }: FailedAttempt): number | undefined {
  const delayMs = retryDelaysMs[attempts - 1];
  if (delayMs === undefined || now - scheduleStart >= retryForMs) return undefined;
  return now + Math.round(delayMs * (1 - (jitterShare * drawn) / uint32Count));
}
