// Cancels or reactivates the auto-payment of a subscription, for developers and operators alike.

import type { ChangedSubscription } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideCancel,
  decideReactivate,
  describeNewestPeriod,
  type Subscription,
} from '../../domain/subscriptions/subscription.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { type Author, appendEvents, type NewEvent } from '../../store/events/events.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import {
  type SubscriptionRow,
  subscriptionFromRow,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import { type RecordAction, responded } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { changedSubscription } from './read-subscription.ts';

type AutoPaymentChange = {
  readonly author: Author;
  readonly recordAction: RecordAction;
} & (
  | { readonly action: 'cancel'; readonly reason: CancelReason }
  | { readonly action: 'reactivate'; readonly reason?: undefined }
);

/** The states in which decideCancel and decideReactivate allow the change. */
const expectedStates = {
  cancel: 'active or paymentOutstanding',
  reactivate: 'autoPaymentOff',
} as const;

/** For operators: returns the changed subscription, or why its state does not allow the change. */
export async function changeSubscription(
  store: DatedStore,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  change: AutoPaymentChange,
): Promise<
  { readonly status: 200; readonly body: ChangedSubscription } | Refusal<'notFound'> | Refusal<'conflict'>
> {
  const changed = await store.database.transaction(key, (transaction) =>
    changeInTransaction(transaction, store, { key, change }),
  );
  if (changed === 'missing') return noSuchSubscription(key);
  const { outcome, row, now } = changed;
  const body = changedSubscription(row, now);
  if (outcome === 'changed') return responded(200, body);
  if (change.action === 'reactivate' && row.erasedAt !== null) {
    return new Refusal('conflict', 'Cannot reactivate the subscription: its buyer was erased.');
  }
  const expected = expectedStates[change.action];
  const detail = `Cannot ${change.action} the subscription: expected the state ${expected}, got ${body.state}.`;
  return new Refusal('conflict', detail);
}

/**
 * Any purchase of the subscription identifies it. `refused`: its state does not allow the change, and nothing was
 * written. `missing`: the purchase does not exist or does not belong to a subscription.
 */
export function changeAutoPayment(
  store: DatedStore,
  { packageName, purchaseId }: { readonly packageName: string; readonly purchaseId: string },
  change: AutoPaymentChange,
): Promise<'changed' | 'refused' | 'missing'> {
  return store.database.transaction({ packageName }, async (transaction) => {
    const purchase = await findPurchase(transaction, { packageName, purchaseId });
    if (purchase === undefined || purchase.firstPurchaseId === null) return 'missing';
    const key = { packageName, firstPurchaseId: purchase.firstPurchaseId };
    const changed = await changeInTransaction(transaction, store, { key, change });
    return changed === 'missing' ? changed : changed.outcome;
  });
}

interface Changing {
  readonly key: { readonly packageName: string; readonly firstPurchaseId: string };
  readonly change: AutoPaymentChange;
}

/** Returns the subscription as it is then, and the app's time of the decision. */
async function changeInTransaction(
  transaction: Queryable,
  { clock }: DatedStore,
  { key, change }: Changing,
): Promise<
  'missing' | { readonly outcome: 'changed' | 'refused'; readonly row: SubscriptionRow; readonly now: number }
> {
  const { packageName } = key;
  const row = await lockSubscription(transaction, key);
  if (row === undefined) return 'missing';
  const { now } = await clock.read(transaction, packageName);
  const changed = decideChange(row, { ...change, now });
  if (changed === 'refused') return { outcome: 'refused', row, now };
  const written = await updateSubscription(transaction, packageName, {
    change: changed.subscription,
    changedBy: change.author.madeBy,
  });
  await appendEvents(transaction, packageName, [changed.event], change.author);
  await change.recordAction(transaction, packageName);
  return { outcome: 'changed', row: written, now };
}

type Decided =
  | { readonly action: 'cancel'; readonly reason: CancelReason; readonly now: number }
  | { readonly action: 'reactivate'; readonly now: number };

/** A changed subscription with its event. */
interface AutoPaymentChanged {
  readonly subscription: Subscription;
  readonly event: NewEvent;
}

/** What a cancel or a reactivation makes of a locked subscription. */
function decideChange(row: SubscriptionRow, change: Decided): AutoPaymentChanged | 'refused' {
  // A checkout's clock may be ahead, and nothing ends before it starts (docs/decisions/purchases.md).
  const now = Math.max(change.now, row.lastStartTime);
  const subscription = subscriptionFromRow(row);
  const decision =
    change.action === 'cancel'
      ? decideCancel(subscription, {
          now,
          reason: change.reason,
          chargeIsOpen: row.openChargeTime !== null,
        })
      : decideReactivate(subscription, {
          now,
          isExpired: row.expiryEventWritten,
          isErased: row.erasedAt !== null,
        });
  if (decision === 'refused') return 'refused';
  const { changed } = decision;
  return { subscription: changed, event: eventOf(row, changed, { action: change.action, eventTime: now }) };
}

function eventOf(
  row: SubscriptionRow,
  changed: Subscription,
  { action, eventTime }: { readonly action: Decided['action']; readonly eventTime: number },
): NewEvent {
  const cancelled =
    changed.terminatedTime === null ? 'subscription.auto_payment_cancelled' : 'subscription.terminated';
  return {
    type: action === 'reactivate' ? 'subscription.auto_payment_reactivated' : cancelled,
    eventTime,
    purchaseId: row.lastPurchaseId,
    firstPurchaseId: row.firstPurchaseId,
    productId: row.productId,
    // Auto-payment changes only while the newest period is not voided.
    record: describeNewestPeriod(changed),
  };
}
