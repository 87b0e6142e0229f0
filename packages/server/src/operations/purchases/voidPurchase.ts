// Voids a purchase once: one transaction writes the purchase, its position in the voided list, the subscription that
// the void may end, and the events.

import { voidPurchase as operation } from '@opentill/contract/operator-api/voidPurchase.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import {
  decideVoidOfMonth,
  describeRecurringPurchase,
  type Subscription,
} from '../../domain/subscriptions/subscription.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import {
  type Author,
  appendEvents,
  assignVoidOrder,
  type NewEvent,
  VoidsAhead,
} from '../../store/events/events.ts';
import {
  findPurchase,
  lockPurchase,
  monthFromPurchaseRow,
  type PurchaseRow,
} from '../../store/purchases/purchases.ts';
import { markVoided } from '../../store/purchases/voided-purchases.ts';
import {
  lockSubscription,
  subscriptionFromRow,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import type { RecordAction } from '../audit/action-recorder.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchPurchase } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { givenReason } from './given-reason.ts';
import { purchaseResponse } from './purchase-response.ts';
import { purchaseTimeAheadMsMax } from './recordPurchase.ts';

interface VoidRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  readonly reason: CancelReason;
  readonly now: number;
  readonly author: Author;
  readonly recordAction: RecordAction;
}

export function voidPurchase({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, now, author, recordAction }) => {
    const reason = givenReason(body, 'system');
    if (reason instanceof Refusal) return reason;
    try {
      const purchase = await voidOnce(database, { ...path, reason, now, author, recordAction });
      return purchase === undefined ? noSuchPurchase(path) : answered(200, purchaseResponse(purchase));
    } catch (error) {
      if (error instanceof VoidsAhead) return new Refusal('unavailable', error.message);
      throw error;
    }
  });
}

/** Returns the purchase as its first void left it; undefined if it does not exist. */
function voidOnce(database: Database, request: VoidRequest): Promise<PurchaseRow | undefined> {
  const { packageName, purchaseId, now, reason } = request;
  return database.transaction({ packageName, record: purchaseId }, async (transaction) => {
    const found = await findPurchase(transaction, request);
    // A purchase recorded after this read counts as missing, because its subscription must be locked first.
    if (found === undefined) return undefined;
    const subscription = await lockSubscriptionOf(transaction, found);
    // The app may have been reset since the purchase was read.
    if (subscription === undefined && found.firstPurchaseId !== null) return undefined;
    const purchase = await lockPurchase(transaction, request);
    if (purchase === undefined || purchase.voidedTime !== null) return purchase;
    // This is the last lock: everything after it writes rows that the transaction has locked.
    const { voidedTime, voidOrder } = await assignVoidOrder(
      transaction,
      packageName,
      earliestOf(purchase, now),
    );
    const voiding = { voidedTime, reason };
    const decision = subscription && decideVoidOfMonth(subscription, monthFromPurchaseRow(purchase), voiding);
    const expiryTime = decision?.month.expiryTime ?? null;
    const { madeBy: voidedBy } = request.author;
    const written = { voidedTime, voidReason: reason, expiryTime, voidedBy };
    await markVoided(transaction, purchase, { ...written, voidOrder });
    const voided = { ...purchase, ...written };
    const ended = decision?.subscription;
    const current = ended ?? subscription;
    const record = current && decision ? describeRecurringPurchase(current, decision.month) : null;
    const events = [eventOf('purchase.voided', voided, { voidedTime, record })];
    if (ended !== undefined) {
      const key = { packageName, firstPurchaseId: ended.firstPurchaseId };
      await updateSubscription(transaction, key, { ...ended, changedBy: voidedBy });
      if (subscription?.terminatedTime === null) {
        events.push(eventOf('subscription.terminated', voided, { voidedTime, record }));
      }
    }
    await appendEvents(transaction, packageName, events, request.author);
    await request.recordAction(transaction, packageName);
    return voided;
  });
}

/** A void is not dated before its purchase, unless a wrong clock dated that: its voided list would follow that clock. */
function earliestOf({ purchaseTime, startTime }: PurchaseRow, now: number): number {
  const begun = Math.max(purchaseTime, startTime ?? 0);
  return begun - now > purchaseTimeAheadMsMax ? now : Math.max(now, begun);
}

/** The subscription of a purchase never changes, so it is known before any row is locked. */
async function lockSubscriptionOf(
  transaction: Queryable,
  { packageName, firstPurchaseId }: PurchaseRow,
): Promise<Subscription | undefined> {
  if (firstPurchaseId === null) return undefined;
  const row = await lockSubscription(transaction, { packageName, firstPurchaseId });
  return row && subscriptionFromRow(row);
}

function eventOf(
  type: NewEvent['type'],
  { purchaseId, firstPurchaseId, productId }: PurchaseRow,
  { voidedTime, record }: { readonly voidedTime: number; readonly record: NewEvent['record'] },
): NewEvent {
  return { type, eventTime: voidedTime, purchaseId, firstPurchaseId, productId, record };
}
