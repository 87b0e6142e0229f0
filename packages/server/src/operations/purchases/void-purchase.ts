// Voids a purchase, once: in one transaction the purchase, its place in the voided list, the subscription
// that it may end, and the events.

import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideVoidOfMonth,
  describeRecurringPurchase,
  type Subscription,
} from '../../domain/subscriptions/subscription.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { type Author, appendEvents, type NewEvent, takeVoidPlace } from '../../store/events/events.ts';
import { findPurchase, lockPurchase, type PurchaseRow } from '../../store/purchases/purchases.ts';
import { markVoided } from '../../store/purchases/voided-purchases.ts';
import { lockSubscription, updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { subscriptionOf } from '../subscriptions/subscription-view.ts';
import { monthOfPurchase } from './purchase-view.ts';

interface VoidRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  readonly reason: CancelReason;
  readonly now: number;
  readonly author: Author;
}

/** The voided purchase, as the first void left it; undefined when there is no such purchase. */
export function voidPurchase(database: Database, request: VoidRequest): Promise<PurchaseRow | undefined> {
  const { packageName, purchaseId, now, reason } = request;
  return database.transaction({ packageName, record: purchaseId }, async (transaction) => {
    const found = await findPurchase(transaction, request);
    // One that is recorded from here on was not there: its subscription would not be held before its row is.
    if (found === undefined) return undefined;
    const subscription = await lockSubscriptionOf(transaction, found);
    // In the sandbox the app may have been emptied meanwhile.
    if (subscription === undefined && found.firstPurchaseId !== null) return undefined;
    const purchase = await lockPurchase(transaction, request);
    if (purchase === undefined || purchase.voidedTime !== null) return purchase;
    // The last lock: all that follows writes rows that the transaction holds.
    const earliest = Math.max(now, purchase.purchaseTime, purchase.startTime ?? 0);
    const { voidedTime, voidOrder } = await takeVoidPlace(transaction, packageName, earliest);
    const voiding = { voidedTime, reason };
    const decision = subscription && decideVoidOfMonth(subscription, monthOfPurchase(purchase), voiding);
    const expiryTime = decision?.month.expiryTime ?? null;
    await markVoided(transaction, purchase, { voidedTime, voidOrder, voidReason: reason, expiryTime });
    const voided = { ...purchase, voidedTime, voidReason: reason, expiryTime };
    const ended = decision?.subscription;
    const present = ended ?? subscription;
    const record = present && decision ? describeRecurringPurchase(present, decision.month) : null;
    const events = [eventOf('purchase.voided', voided, { voidedTime, record })];
    if (ended !== undefined) {
      await updateSubscription(transaction, { packageName, firstPurchaseId: ended.firstPurchaseId }, ended);
      if (subscription?.terminatedTime === null) {
        events.push(eventOf('subscription.terminated', voided, { voidedTime, record }));
      }
    }
    await appendEvents(transaction, packageName, events, request.author);
    return voided;
  });
}

/** Which subscription a purchase belongs to never changes, so that it can be read before anything is held. */
async function lockSubscriptionOf(
  transaction: Queryable,
  { packageName, firstPurchaseId }: PurchaseRow,
): Promise<Subscription | undefined> {
  if (firstPurchaseId === null) return undefined;
  const row = await lockSubscription(transaction, { packageName, firstPurchaseId });
  return row && subscriptionOf(row);
}

function eventOf(
  type: NewEvent['type'],
  { purchaseId, firstPurchaseId, productId }: PurchaseRow,
  { voidedTime, record }: { readonly voidedTime: number; readonly record: NewEvent['record'] },
): NewEvent {
  return { type, eventTime: voidedTime, purchaseId, firstPurchaseId, productId, record };
}
