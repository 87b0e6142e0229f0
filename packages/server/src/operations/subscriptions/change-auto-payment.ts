// Cancels or reactivates the auto-payment of a subscription, for developers and operators alike.

import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideCancel,
  decideReactivate,
  describeNewestMonth,
  type Subscription,
} from '../../domain/subscriptions/subscription.ts';
import type { Database } from '../../store/connection/database.ts';
import { type Author, appendEvents, type NewEvent } from '../../store/events/events.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import {
  lockSubscription,
  type SubscriptionRow,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import { subscriptionOf } from './subscription-view.ts';

export interface AutoPaymentChange {
  readonly packageName: string;
  /** Any purchase of the subscription. */
  readonly purchaseId: string;
  readonly action: 'cancel' | 'reactivate';
  /** Who wanted a cancel. */
  readonly reason: CancelReason;
  readonly now: number;
  readonly author: Author;
}

/**
 * `refused`: the state of the subscription allows no such change, and nothing was written. `missing`: there
 * is no such purchase, or it is none of a subscription.
 */
export async function changeAutoPayment(
  database: Database,
  change: AutoPaymentChange,
): Promise<'changed' | 'refused' | 'missing'> {
  const { packageName, purchaseId, author } = change;
  return database.transaction({ packageName, record: purchaseId }, async (transaction) => {
    const purchase = await findPurchase(transaction, { packageName, purchaseId });
    if (purchase === undefined || purchase.firstPurchaseId === null) return 'missing';
    const key = { packageName, firstPurchaseId: purchase.firstPurchaseId };
    const row = await lockSubscription(transaction, key);
    // In the sandbox the app may have been emptied meanwhile.
    if (row === undefined) return 'missing';
    // A checkout's clock may be ahead, and nothing ends before it begins (docs/decisions/voids.md).
    const now = Math.max(change.now, row.lastStartTime);
    const subscription = subscriptionOf(row);
    const decision =
      change.action === 'cancel'
        ? decideCancel(subscription, {
            now,
            reason: change.reason,
            chargeIsOpen: row.openChargeTime !== null,
          })
        : decideReactivate(subscription, { now, expiryIsTold: row.expiryTold });
    if (decision === 'refused') return 'refused';
    await updateSubscription(transaction, key, decision.changed);
    await appendEvents(
      transaction,
      packageName,
      [eventOf({ ...change, now }, row, decision.changed)],
      author,
    );
    return 'changed';
  });
}

function eventOf(change: AutoPaymentChange, row: SubscriptionRow, changed: Subscription): NewEvent {
  const type =
    change.action === 'reactivate'
      ? 'subscription.auto_payment_reactivated'
      : changed.terminatedTime === null
        ? 'subscription.auto_payment_cancelled'
        : 'subscription.terminated';
  return {
    type,
    eventTime: change.now,
    purchaseId: row.lastPurchaseId,
    firstPurchaseId: row.firstPurchaseId,
    productId: row.productId,
    // A subscription whose newest month is void has ended: nothing about its payment changes then.
    record: describeNewestMonth(changed),
  };
}
