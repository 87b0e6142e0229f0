// Cancels or reactivates the auto-payment of a subscription, for developers and operators alike.

import type { Subscription as ShownSubscription } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideCancel,
  decideReactivate,
  describeNewestMonth,
  type Subscription,
} from '../../domain/subscriptions/subscription.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import { type Author, appendEvents, type NewEvent } from '../../store/events/events.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import type { Store } from '../../store/store.ts';
import {
  findSubscription,
  type LockedSubscription,
  lockSubscription,
  type SubscriptionRow,
  subscriptionFromRow,
  updateSubscriptions,
} from '../../store/subscriptions/subscriptions.ts';
import type { RecordAction } from '../audit/action-recorder.ts';
import { answered } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { readSubscription } from './read-subscription.ts';

type AutoPaymentChange = {
  readonly author: Author;
  readonly recordAction: RecordAction;
} & (
  | { readonly action: 'cancel'; readonly reason: CancelReason }
  | { readonly action: 'reactivate'; readonly reason?: undefined }
);

/** The states in which decideCancel and decideReactivate allow the change. */
const expectedStates = {
  cancel: 'active or payment_outstanding',
  reactivate: 'auto_payment_off',
} as const;

/** For operators: returns the changed subscription, or why its state does not allow the change. */
export async function changeSubscription(
  store: Pick<Store, 'database' | 'clock' | 'environment'>,
  key: { readonly packageName: string; readonly firstPurchaseId: string },
  change: AutoPaymentChange,
): Promise<
  { readonly status: 200; readonly body: ShownSubscription } | Refusal<'notFound'> | Refusal<'conflict'>
> {
  const { database } = store;
  if ((await findSubscription(database, key)) === undefined) return noSuchSubscription(key);
  const { packageName, firstPurchaseId: purchaseId } = key;
  const { outcome, now } = await changeAutoPayment(store, { packageName, purchaseId }, change);
  const body = outcome === 'missing' ? undefined : await readSubscription(store, key, { now });
  // The app may have been reset since the first read.
  if (body === undefined) return noSuchSubscription(key);
  if (outcome === 'changed') return answered(200, body);
  const isErased = (await findSubscription(database, key))?.erasedAt != null;
  if (change.action === 'reactivate' && isErased) {
    return new Refusal('conflict', 'Cannot reactivate the subscription: its buyer was erased.');
  }
  const expected = expectedStates[change.action];
  const detail = `Cannot ${change.action} the subscription: expected the state ${expected}, got ${body.state}.`;
  return new Refusal('conflict', detail);
}

const missing = { outcome: 'missing', now: 0 } as const;
type Missing = typeof missing;

/**
 * Any purchase of the subscription identifies it. `refused`: its state does not allow the change, and nothing was
 * written. `missing`: the purchase does not exist or does not belong to a subscription. `now` is the app's time of the
 * decision.
 */
export async function changeAutoPayment(
  { database, clock }: DatedStore,
  { packageName, purchaseId }: { readonly packageName: string; readonly purchaseId: string },
  change: AutoPaymentChange,
): Promise<{ readonly outcome: 'changed' | 'refused'; readonly now: number } | Missing> {
  return database.transaction({ packageName }, async (transaction) => {
    const purchase = await findPurchase(transaction, { packageName, purchaseId });
    if (purchase === undefined || purchase.firstPurchaseId === null) return missing;
    const key = { packageName, firstPurchaseId: purchase.firstPurchaseId };
    const row = await lockSubscription(transaction, key);
    // The app may have been reset since the purchase was read.
    if (row === undefined) return missing;
    const { now } = await clock.read(transaction, packageName);
    const changed = decideChange(row, { ...change, now });
    if (changed === 'refused') return { outcome: 'refused', now };
    const written = { rows: [changed.subscription], changedBy: change.author.madeBy };
    await updateSubscriptions(transaction, packageName, written);
    await appendEvents(transaction, packageName, [changed.event], change.author);
    await change.recordAction(transaction, packageName);
    return { outcome: 'changed', now };
  });
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
function decideChange(row: LockedSubscription, change: Decided): AutoPaymentChanged | 'refused' {
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
    // Auto-payment changes only while the newest month is not voided.
    record: describeNewestMonth(changed),
  };
}
