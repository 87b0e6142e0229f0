// The charge between the two transactions of a renewal: it runs outside of any.

import type { BegunRenewal } from './begin-renewals.ts';
import type { RenewalOptions } from './renewal-options.ts';
import type { AnsweredRenewal } from './settle-renewals.ts';

/** A renewal whose charge has ended, or that needs none. */
export type EndedRenewal = AnsweredRenewal & Pick<BegunRenewal, 'dueTime' | 'unansweredSince'>;

/** A period that costs 0 takes no money, so no gateway is asked about it. */
const free = { outcome: 'paid' } as const;

const notSentInTime = 'a charge was not sent in time, and is retried when its lease ends';

/** Undefined if it is too late to send the charge, which then stays open with its key and is due when its lease ends. */
export async function sendCharge(
  { gateway, clock, log, testing }: RenewalOptions,
  { charge, sendableUntil, ...begun }: BegunRenewal,
  signal?: AbortSignal,
): Promise<EndedRenewal | undefined> {
  if (charge === undefined) return { ...begun, charged: undefined };
  if (clock.now() > sendableUntil) {
    // A suspended or overloaded server decided this too long ago: the window may be over, or the buyer may have left.
    log.warn({ app: charge.packageName, idempotencyKey: charge.idempotencyKey }, notSentInTime);
    return undefined;
  }
  const answer = charge.price === 0 ? free : await gateway.charge(charge, signal);
  testing?.crashPoints('afterCharge');
  return { ...begun, charged: { charge, answer } };
}

/** Lets calls that came in since then go before the next charge. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
