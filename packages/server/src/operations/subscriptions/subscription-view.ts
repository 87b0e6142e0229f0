// Converts rows of subscriptions and months for the domain.

import type { PurchaseId } from '../../domain/identifiers.ts';
import type { RenewableSubscription } from '../../domain/subscriptions/renewal.ts';
import type { Subscription, SubscriptionMonth } from '../../domain/subscriptions/subscription.ts';
import type {
  LockedSubscription,
  MonthInSubscription,
  SubscriptionRow,
} from '../../store/subscriptions/subscriptions.ts';

export function subscriptionOf(row: SubscriptionRow): Subscription {
  return row as SubscriptionRow & Subscription;
}

export function renewableOf(row: LockedSubscription): RenewableSubscription {
  return { ...subscriptionOf(row), openChargeTime: row.openChargeTime, isExpired: row.expiryTold };
}

export function monthOf(row: MonthInSubscription): SubscriptionMonth {
  return {
    purchaseId: row.purchaseId as PurchaseId,
    periodIndex: row.periodIndex,
    startTime: row.startTime,
    expiryTime: row.monthExpiryTime,
    price: row.price,
    developerPayload: row.developerPayload,
    voidedTime: row.voidedTime,
    voidReason: row.voidReason,
  };
}
