// A subscription as its first purchase starts it, for the tests of its rules.

import type { ProductId, PurchaseId } from '../../../packages/server/src/domain/identifiers.ts';
import type { SubscriptionDecision } from '../../../packages/server/src/domain/subscriptions/auto-payment.ts';
import type { RenewableSubscription } from '../../../packages/server/src/domain/subscriptions/renewal.ts';
import {
  type Subscription,
  startSubscription,
} from '../../../packages/server/src/domain/subscriptions/subscription.ts';
import { hourMs } from '../../../packages/server/src/domain/time.ts';

/** The retries of the default settings. */
export const defaultRetries = [1, 6, 24, 48].map((hours) => hours * hourMs);

export function startedAt(startTime: number, more: Partial<Parameters<typeof startSubscription>[0]> = {}) {
  return startSubscription({
    purchaseId: 'first' as PurchaseId,
    productId: 'gold' as ProductId,
    startTime,
    timeZone: 'UTC',
    period: 'P1M',
    firstPeriod: null,
    price: 499,
    renewalPrice: null,
    currency: 'EUR',
    developerPayload: '',
    ...more,
  });
}

export function renewableAt(startTime: number): RenewableSubscription {
  return { ...startedAt(startTime).subscription, openChargeTime: null, isExpired: false };
}

/** The subscription after a change that its state allows. */
export function changed(decision: SubscriptionDecision): Subscription {
  if (decision === 'refused') throw new Error('The change was refused.');
  return decision.changed;
}
