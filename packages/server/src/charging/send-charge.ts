// The charge between the two transactions of a renewal: it runs outside of any.

import type { AnsweredCharge, Charge } from './charges.ts';
import type { RenewalOptions } from './renewal-options.ts';

/** A period that costs 0 takes no money, so no gateway is asked about it. */
const free = { outcome: 'paid' } as const;

const notSentInTime = 'a charge was not sent in time, and is retried when its lease ends';

/** Undefined if it is too late to send the charge, which then stays open with its key and is due when its lease ends. */
export async function sendCharge(
  { gateway, clock, log, testing }: RenewalOptions,
  { request, sendableUntil, ...charge }: Charge,
  signal?: AbortSignal,
): Promise<AnsweredCharge | undefined> {
  if (request === undefined) return { ...charge, charged: undefined };
  const { packageName, idempotencyKey, price } = request;
  if (clock.now() > sendableUntil) {
    // A suspended or overloaded server decided this too long ago: the window may be over, or the buyer may have left.
    log.warn({ app: packageName, idempotencyKey }, notSentInTime);
    return undefined;
  }
  const answer = price === 0 ? free : await gateway.charge(request, signal);
  testing?.crashPoints?.('afterCharge');
  return { ...charge, charged: { ...request, answer } };
}

/** Lets calls that came in since then go before the next charge. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
