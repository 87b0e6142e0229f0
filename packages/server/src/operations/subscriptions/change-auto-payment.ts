// Cancels or reactivates the auto-payment of a subscription, for developers and operators alike, and asks for consent.

import type { EventConsent } from '@opentill/contract/events.ts';
import type { ChangedSubscription } from '@opentill/contract/operator-resources.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideCancel,
  decideQuestion,
  decideReactivate,
  type SubscriptionDecision,
} from '../../domain/subscriptions/auto-payment.ts';
import { describeNewestPeriod, type Subscription } from '../../domain/subscriptions/subscription.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { type Author, appendEvents, type NewEvent } from '../../store/events/events.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import {
  renewableFromRow,
  type SubscriptionRow,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import { type RecordAction, responded } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { changedSubscription } from './read-subscription.ts';

type AutoPaymentAction =
  | { readonly action: 'cancel'; readonly reason: CancelReason }
  /** The store asks its customer for consent. */
  | { readonly action: 'ask' }
  | {
      readonly action: 'reactivate';
      readonly by: 'app' | 'store';
      readonly consent?: 'given' | undefined;
    };

type AutoPaymentChange = AutoPaymentAction & {
  readonly author: Author;
  readonly recordAction: RecordAction;
};

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
  if (outcome !== 'refused') return responded(200, body);
  return new Refusal('conflict', refusalText(change, row, body.state));
}

const names = {
  cancel: 'cancel the subscription',
  ask: 'ask for consent',
  reactivate: 'reactivate the subscription',
} as const;

/** The states in which the domain allows a change. */
const expectedStates = {
  cancel: 'active or paymentOutstanding',
  ask: 'active or autoPaymentOff',
  reactivate: 'autoPaymentOff',
} as const;

function refusalText(
  change: AutoPaymentAction,
  { erasedAt, consent }: SubscriptionRow,
  state: ChangedSubscription['state'],
): string {
  const { action } = change;
  const problem = `Cannot ${names[action]}:`;
  if (action === 'reactivate') {
    if (erasedAt !== null) return `${problem} its buyer was erased.`;
    if (state === 'expired' && consent === 'awaited') {
      return `${problem} it ended without consent: record a new subscription.`;
    }
    if (state === 'autoPaymentOff') {
      return consent === 'awaited'
        ? `${problem} expected consent "given", because it awaits consent.`
        : `${problem} expected no consent, because it awaits none.`;
    }
  }
  return `${problem} expected the state ${expectedStates[action]}, got ${state}.`;
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
    return changed === 'missing' ? changed : changed.outcome === 'refused' ? 'refused' : 'changed';
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
  | 'missing'
  | {
      readonly outcome: 'changed' | 'same' | 'refused';
      readonly row: SubscriptionRow;
      readonly now: number;
    }
> {
  const { packageName } = key;
  const row = await lockSubscription(transaction, key);
  if (row === undefined) return 'missing';
  const { now } = await clock.read(transaction, packageName);
  // A checkout's clock may be ahead, and nothing ends before it starts (docs/decisions/purchases.md).
  const eventTime = Math.max(now, row.lastStartTime);
  const decision = decide(row, change, eventTime);
  if (typeof decision === 'string') return { outcome: decision, row, now };
  const { changed } = decision;
  const consent = consentOf(change);
  const { author } = change;
  const written = await updateSubscription(transaction, packageName, {
    change: changed,
    changedBy: author.madeBy,
  });
  const events = autoPaymentEvents(row, changed, { eventTime, consent });
  await appendEvents(transaction, packageName, events, author);
  await change.recordAction(transaction, packageName, consent && { consent });
  return { outcome: 'changed', row: written, now };
}

/** What a change makes of a locked subscription. */
function decide(row: SubscriptionRow, change: AutoPaymentAction, now: number): SubscriptionDecision | 'same' {
  const subscription = renewableFromRow(row);
  const { isExpired } = subscription;
  switch (change.action) {
    case 'cancel':
      return decideCancel(subscription, {
        ...change,
        now,
        isExpired,
        chargeIsOpen: row.openChargeTime !== null,
      });
    case 'ask':
      return decideQuestion(subscription, now);
    case 'reactivate':
      return decideReactivate(subscription, { ...change, now, isExpired, isErased: row.erasedAt !== null });
  }
}

function consentOf(change: AutoPaymentAction): EventConsent | undefined {
  if (change.action === 'ask') return 'awaited';
  return change.action === 'reactivate' ? change.consent : undefined;
}

/** The event of a cancel or a reactivation; none if consent was asked of a customer who had cancelled. */
export function autoPaymentEvents(
  { autoRenewing, consent: before, lastPurchaseId, firstPurchaseId, productId }: SubscriptionRow,
  changed: Subscription,
  { eventTime, consent }: { readonly eventTime: number; readonly consent: EventConsent | undefined },
): NewEvent[] {
  const isWithdrawn = before === 'awaited' && changed.consent === 'withdrawn';
  if (autoRenewing === changed.autoRenewing && !isWithdrawn) return [];
  const cancelled =
    changed.terminatedTime === null ? 'subscription.auto_payment_cancelled' : 'subscription.terminated';
  return [
    {
      type: changed.autoRenewing ? 'subscription.auto_payment_reactivated' : cancelled,
      eventTime,
      purchaseId: lastPurchaseId,
      firstPurchaseId,
      productId,
      // Auto-payment changes only while the newest period is not voided.
      record: describeNewestPeriod(changed),
      consent,
    },
  ];
}
