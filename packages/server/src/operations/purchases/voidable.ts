// Prepares the rows of a purchase for the decision to void it.

import type { Voidable } from '../../domain/purchases/voiding.ts';
import { type PurchaseRow, periodFromPurchaseRow, purchaseFromRow } from '../../store/purchases/purchases.ts';
import { type SubscriptionRow, subscriptionFromRow } from '../../store/subscriptions/subscriptions.ts';

/** `subscription` is that of a period; undefined for a one-time purchase. */
export function voidableFromRows(purchase: PurchaseRow, subscription: SubscriptionRow | undefined): Voidable {
  return {
    purchase: purchaseFromRow(purchase),
    paidPeriod: subscription && {
      subscription: subscriptionFromRow(subscription),
      paidPeriod: periodFromPurchaseRow(purchase),
      chargeIsOpen: subscription.openChargeTime !== null,
    },
  };
}
