// When a period may be charged: until when, and when a charge that was declined or not answered is tried again
// (docs/decisions/subscriptions.md).

import { chargeDaysMax, chargeRetriesMax } from '@opentill/contract/limits.ts';
import { dayMs, hourMs, minuteMs } from '../time.ts';
import { isTimeZone, periodEnd, periodMsMin } from './calendar-period.ts';
import type { Subscription } from './subscription.ts';

/** When a declined charge is retried: ms after the payment fell due, ascending. */
export type ChargeRetries = readonly number[];

/** The maximum number of attempts to charge one period. */
export const attemptsMax = 1 + chargeRetriesMax;

/** Undefined unless the text is a list such as `1h,6h,1d,2d`, ascending and within its limits. */
export function parseChargeRetries(text: string): ChargeRetries | undefined {
  const retries = text.split(',').map((entry) => {
    const [, count, unit] = /^([1-9][0-9]{0,2})([hd])$/.exec(entry.trim()) ?? [];
    return Number(count) * (unit === 'd' ? dayMs : hourMs);
  });
  const isValid =
    retries.length <= chargeRetriesMax &&
    retries.every((retry, index) => retry > (retries[index - 1] ?? 0) && retry <= chargeDaysMax * dayMs);
  return isValid ? retries : undefined;
}

/** A charge of a long period does not begin later than this after the payment fell due, in ms. */
const chargeableMsMax = 60 * dayMs;

/**
 * The last instant at which a charge for the next period may begin, whatever was paused: when two thirds of that period are
 * over, and 60 days after it fell due at the latest.
 */
export function chargeableUntil(subscription: Subscription): number {
  const { expiryTime, timeZone, period, lastPeriodIndex } = subscription;
  // A newer server may have recorded it in a zone that this one does not know.
  const periodMs = isTimeZone(timeZone)
    ? periodEnd(subscription, lastPeriodIndex + 1) - expiryTime
    : periodMsMin(period);
  return expiryTime + Math.min(Math.floor((2 * periodMs) / 3), chargeableMsMax);
}

/** The response to a charge that began at the last instant arrives within this time, in ms. */
const paidAfterBeginMs = minuteMs;

/**
 * Whether a payment gives the next period: the one rule for a response of the gateway, a polled one and one that an
 * operator settles by hand. A later payment is recorded and voided, so that nobody pays a whole period for its last days.
 */
export function isPaidInTime(subscription: Subscription, paidTime: number): boolean {
  return paidTime <= chargeableUntil(subscription) + paidAfterBeginMs;
}

/** How long after auto-payment ended an unanswered charge is still sent again, in ms: the retry could be its first arrival. */
const sentAfterEndMs = 10 * minuteMs;

/**
 * The last instant at which an open attempt of unknown outcome is sent again: the retry could be the first to arrive, and
 * payment providers forget keys.
 */
export function sendableUntil(subscription: Subscription, begunTime: number): number {
  const { cancelledTime, terminatedTime } = subscription;
  const endTime = Math.min(cancelledTime ?? Infinity, terminatedTime ?? Infinity);
  const latest = begunTime + chargeDaysMax * dayMs;
  return Math.min(chargeableUntil(subscription), latest, endTime + sentAfterEndMs);
}

/**
 * When the attempt after a declined one is due; undefined after the last, and if it could not begin in time. Late attempts
 * keep an hour between them, so that a server that was stopped for days does not send all of them at once.
 */
export function retryTime(
  subscription: Subscription,
  {
    attempt,
    now,
    retries,
  }: { readonly attempt: number; readonly now: number; readonly retries: ChargeRetries },
): number | undefined {
  const afterDue = retries[attempt - 1];
  if (afterDue === undefined) return undefined;
  const planned = subscription.expiryTime + afterDue;
  const retry = planned > now ? planned : now + hourMs;
  return retry <= chargeableUntil(subscription) ? retry : undefined;
}

/**
 * When an attempt without a definite answer is sent again: after a minute, twice as long each time, an hour
 * at most. `tries` is how often it was sent.
 */
export function nextTryTime(tries: number, now: number): number {
  return now + Math.min(hourMs, minuteMs * 2 ** (tries - 1));
}
