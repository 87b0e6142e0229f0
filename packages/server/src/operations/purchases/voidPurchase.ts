// Voids a purchase once: one transaction writes the purchase, its position in the voided list, the subscription that
// the void may end, and the events.

import type { VoidCause } from '@opentill/contract/events.ts';
import { voidPurchase as operation } from '@opentill/contract/operator-api/voidPurchase.ts';
import type { CancelReason } from '../../domain/purchases/purchase.ts';
import { decideVoid, voidCauseOf } from '../../domain/purchases/voiding.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { type Author, appendEvents, assignVoidOrder, type NewEvent } from '../../store/events/events.ts';
import { findPurchase, lockPurchase, type PurchaseRow } from '../../store/purchases/purchases.ts';
import { lockVoids, markVoided } from '../../store/purchases/voided-purchases.ts';
import type { Store } from '../../store/store.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import { type SubscriptionRow, updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { type OperatorHandler, operatorHandler, type RecordAction, responded } from '../operator-handler.ts';
import { noSuchPurchase, Refusal, refuseValue } from '../refusal.ts';
import { givenReason, purchaseResponse } from './purchase-response.ts';
import { voidableFromRows } from './voidable.ts';

interface VoidRequest {
  readonly packageName: string;
  readonly purchaseId: string;
  readonly reason: CancelReason;
  readonly cause: VoidCause;
  readonly refundAmount: number | undefined;
  readonly author: Author;
  readonly recordAction: RecordAction;
}

export function voidPurchase(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, author, recordAction }) => {
    const reason = givenReason(body, 'system');
    if (reason instanceof Refusal) return reason;
    const cause = voidCauseOf(reason, body.reasonCode);
    const { refundAmount } = body;
    const voided = await voidOnce(store, { ...path, reason, cause, refundAmount, author, recordAction });
    if (voided instanceof Refusal) return voided;
    return voided === undefined ? noSuchPurchase(path) : responded(200, purchaseResponse(voided));
  });
}

/** Returns the purchase as its first void left it; undefined if it does not exist. */
function voidOnce(
  { database, clock }: DatedStore,
  request: VoidRequest,
): Promise<PurchaseRow | Refusal<'conflict' | 'invalidRequest'> | undefined> {
  const { packageName, reason, cause: voidCause } = request;
  return database.transaction({ packageName }, async (transaction) => {
    const found = await findPurchase(transaction, request);
    // A purchase recorded after this read counts as missing, because its subscription must be locked first.
    if (found === undefined) return undefined;
    const subscription = await lockSubscriptionOf(transaction, found);
    // The app may have been reset since the purchase was read.
    if (subscription === undefined && found.firstPurchaseId !== null) return undefined;
    const purchase = await lockPurchase(transaction, request);
    if (purchase === undefined) return undefined;
    const refusal = refuseAmount(purchase, request.refundAmount);
    if (refusal !== undefined || purchase.voidedTime !== null) return refusal ?? purchase;
    const voidable = voidableFromRows(purchase, subscription);
    // The time dates the void, so it is read after the wait for other voids and for pages that are being read.
    await lockVoids(transaction, packageName);
    const { now } = await clock.read(transaction, packageName);
    // This is the last lock: everything after it writes rows that the transaction has locked.
    const { voidedTime, voidOrder } = await assignVoidOrder(transaction, packageName, now);
    const decision = decideVoid(voidable, { voidedTime, reason });
    const { madeBy: voidedBy } = request.author;
    const refundAmount = request.refundAmount ?? purchase.price;
    const { expiryTime } = decision;
    const written = { voidedTime, voidReason: reason, voidCause, refundAmount, expiryTime, voidedBy };
    await markVoided(transaction, purchase, { ...written, voidOrder });
    const voided = { ...purchase, ...written };
    const { subscription: changed } = decision;
    if (changed !== undefined) {
      await updateSubscription(transaction, packageName, { change: changed, changedBy: voidedBy });
    }
    const { record } = decision;
    const events = decision.events.map((type) => eventOf(type, voided, { voidedTime, record }));
    await appendEvents(transaction, packageName, events, request.author);
    await request.recordAction(transaction, packageName);
    return voided;
  });
}

/** The amount of the first void is final. */
function refuseAmount(
  { price, voidedTime, refundAmount: stored }: PurchaseRow,
  given: number | undefined,
): Refusal<'conflict' | 'invalidRequest'> | undefined {
  if (given === undefined) return undefined;
  if (given > price) {
    return refuseValue(
      'invalidRequest',
      '/refundAmount',
      `expected at most ${price}, the price, got ${given}`,
    );
  }
  const first = stored ?? price;
  if (voidedTime === null || given === first) return undefined;
  return refuseValue('conflict', '/refundAmount', `expected ${first}, that of the first void, got ${given}`);
}

/** The subscription of a purchase never changes, so it is known before any row is locked. */
async function lockSubscriptionOf(
  transaction: Queryable,
  { packageName, firstPurchaseId }: PurchaseRow,
): Promise<SubscriptionRow | undefined> {
  if (firstPurchaseId === null) return undefined;
  return lockSubscription(transaction, { packageName, firstPurchaseId });
}

function eventOf(
  type: NewEvent['type'],
  { purchaseId, firstPurchaseId, productId }: PurchaseRow,
  { voidedTime, record }: { readonly voidedTime: number; readonly record: NewEvent['record'] },
): NewEvent {
  return { type, eventTime: voidedTime, purchaseId, firstPurchaseId, productId, record };
}
