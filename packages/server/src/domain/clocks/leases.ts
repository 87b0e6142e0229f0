// How long leases last, in the database's time.

import { clockDifferenceSecondsMax } from './clock-hold.ts';

/** A lease of a webhook outlasts an attempt and the write after it, in ms: deliveries of a dead server stop for this long. */
export const webhookLeaseMs = 15_000;

/** A lease of an attempt outlasts the charge and the transaction that settles it, in ms; after it any server may retry. */
export const attemptLeaseMs = 20_000;

/** How late in its lease a charge may be sent, in ms: one that takes its 10 seconds still arrives before the end. */
export const chargeSendMs = 10_000;

/** A lease of an app's clock, in ms; when it is over, an advance whose server was killed can be retried. */
export const clockLeaseMs = 5_000;

/** How far ahead of now the end of a lease of `leaseMs` can be, in ms: further ahead, a wrong clock wrote it. */
export function leaseAheadMaxMs(leaseMs: number): number {
  return leaseMs + clockDifferenceSecondsMax * 1000;
}

/** Whether a lease counts at `now`: it has not ended, and could have been acquired by then. */
export function isLeased(leaseUntil: number | null | undefined, now: number, leaseMs: number): boolean {
  const aheadMs = (leaseUntil ?? now) - now;
  return aheadMs > 0 && aheadMs <= leaseAheadMaxMs(leaseMs);
}
