// Derives access at an instant from the details of a subscription (the specification, "Last recurring purchase details").

import type { LastRecurringPurchaseDetails } from './contract-types.ts';

/** The answer to whether a subscriber may use the app. */
export interface SubscriptionAccess {
  /** Whether the period that is paid lasts. */
  readonly hasAccess: boolean;
  /** The paid period has ended, and the payment of the next one is retried: whether to give access is up to the caller. */
  readonly isPaymentOutstanding: boolean;
  /** The end of the paid period, in ms since 1970. */
  readonly until: number;
  /** Whether the next period is charged. */
  readonly willRenew: boolean;
}

/**
 * Reads the response of getLastRecurringPurchaseDetails, or that of getRecurringPurchaseDetails for the newest period.
 * `now` is in ms since 1970; in a sandbox it is the app's time, which getClock returns.
 * @throws TypeError if `now` is not a number
 */
export function subscriptionAccess(
  details: Pick<LastRecurringPurchaseDetails, 'expiryTime' | 'nextPaymentTime' | 'autoRenewing'>,
  { now }: { readonly now: number },
): SubscriptionAccess {
  const { expiryTime, nextPaymentTime, autoRenewing } = details;
  if (!Number.isFinite(now)) throw new TypeError('now: expected a time in ms since 1970');
  const hasAccess = now < expiryTime;
  return {
    hasAccess,
    isPaymentOutstanding: nextPaymentTime !== undefined && !hasAccess,
    until: expiryTime,
    willRenew: autoRenewing,
  };
}
