// Records a purchase once, however often and by however many callers at the same time it is asked for
// (docs/decisions/recording-purchases.md).

import {
  type Environment,
  generatedPurchaseId,
  isSandboxPurchaseId,
  type ProductId,
  type PurchaseId,
  purchaseIdDigits,
} from '../domain/identifiers.ts';
import { compareRecorded, type RecordedFields } from '../domain/purchase.ts';
import { describeRecurringPurchase, startSubscription } from '../domain/subscription.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Author, appendEvents, type NewEvent } from '../store/events.ts';
import { findProduct, type ProductRow } from '../store/products.ts';
import { findPurchase, findPurchaseByOrder, type PurchaseRow } from '../store/purchases.ts';
import { insertPurchase } from '../store/recorded-purchases.ts';
import { insertSubscription, type SubscriptionRow } from '../store/subscriptions.ts';
import { monthOfPurchase, purchaseOf } from './purchase-view.ts';
import { subscriptionOf } from './subscription-view.ts';

/** What is needed to record; all but the database and randomness is of the store. */
export interface Recorder {
  readonly database: Database;
  readonly randomness: Randomness;
  readonly environment: Environment;
  /** By its calendar the months of a new subscription are counted. */
  readonly timeZone: string;
  /** False in production without a payment gateway: nobody could charge the second month. */
  readonly allowsSubscriptions: boolean;
}

export interface RecordingRequest {
  readonly packageName: string;
  readonly sent: RecordedFields & { readonly productId: ProductId };
  readonly now: number;
  readonly author: Author;
}

export type Recording =
  | { readonly kind: 'recorded' | 'repeated'; readonly purchase: PurchaseRow }
  /** The record that is there says otherwise in these fields. */
  | { readonly kind: 'differs'; readonly purchaseId: string; readonly fields: readonly string[] }
  /** The purchaseId names the first record, the orderId the second. */
  | { readonly kind: 'twoRecords'; readonly purchaseIds: readonly [string, string] }
  | RecordingRefusal;

type RecordingRefusal =
  | { readonly kind: 'unknownProduct' }
  | { readonly kind: 'subscriptionsNotSold' }
  | { readonly kind: 'unusable'; readonly field: 'purchaseId' | 'purchaseTime'; readonly message: string };

/** Told to whoever asks for a subscription where none is sold. */
export const subscriptionsNotSold =
  'This server sells no subscriptions: production needs a payment gateway for them (OPENTILL_PAYMENT_GATEWAY_URL).';

/** A checkout's clock may be ahead of ours by so much, in ms; a purchase is not made in the future. */
const purchaseTimeAheadMsMax = 60_000;

/** A draw meets a taken id once in a hundred at a million purchases a second: so many never all do. */
const drawsMax = 8;

/** @throws DatabaseUnavailable: then it may have been recorded, and the same call tells. */
export async function recordPurchase(recorder: Recorder, request: RecordingRequest): Promise<Recording> {
  const { database, randomness, environment } = recorder;
  const { packageName, sent, now } = request;
  for (let draw = 0; draw < drawsMax; draw += 1) {
    const met = await findRecorded(database, request);
    if (met !== undefined) return met;
    const product = await findProduct(database, { packageName, productId: sent.productId });
    if (product === undefined) return { kind: 'unknownProduct' };
    const digits = randomness.digits(purchaseIdDigits);
    const purchaseTime = sent.purchaseTime ?? now;
    const purchaseId = sent.purchaseId ?? generatedPurchaseId({ environment, now: purchaseTime, digits });
    const draft = draftOf(request, product, { purchaseId, timeZone: recorder.timeZone });
    const refusal = refusalOf(recorder, request, draft.purchase);
    if (refusal !== undefined) return refusal;
    if (await insertDraft(database, draft, request)) return { kind: 'recorded', purchase: draft.purchase };
    // Somebody has this id or this order: the next round finds that record, or draws another id.
  }
  throw new Error(`Each of ${drawsMax} drawn purchase ids was taken.`);
}

async function findRecorded(database: Database, request: RecordingRequest): Promise<Recording | undefined> {
  const { packageName, sent } = request;
  const { purchaseId, orderId } = sent;
  const byId = purchaseId && (await findPurchase(database, { packageName, purchaseId }));
  const byOrder = orderId && (await findPurchaseByOrder(database, { packageName, orderId }));
  const purchase = byId || byOrder;
  if (!purchase) return undefined;
  if (byOrder && byOrder.purchaseId !== purchase.purchaseId) {
    return { kind: 'twoRecords', purchaseIds: [purchase.purchaseId, byOrder.purchaseId] };
  }
  const fields = compareRecorded(purchaseOf(purchase), sent);
  if (fields.length > 0) return { kind: 'differs', purchaseId: purchase.purchaseId, fields };
  return { kind: 'repeated', purchase };
}

/** What is about to be written. */
interface Draft {
  readonly purchase: PurchaseRow;
  /** The one that this purchase is the first month of. */
  readonly subscription: SubscriptionRow | null;
}

function draftOf(
  { packageName, sent, now }: RecordingRequest,
  product: ProductRow,
  { purchaseId, timeZone }: { purchaseId: PurchaseId; timeZone: string },
): Draft {
  const buyerId = sent.buyerId ?? null;
  const sold = {
    productId: sent.productId,
    developerPayload: sent.developerPayload ?? '',
    price: sent.price ?? product.price,
    currency: product.currency,
  };
  const purchaseTime = sent.purchaseTime ?? now;
  const purchase: PurchaseRow = {
    packageName,
    purchaseId,
    orderId: sent.orderId ?? null,
    buyerId,
    purchaseTime,
    ...sold,
    consumedTime: null,
    voidedTime: null,
    voidReason: null,
    firstPurchaseId: null,
    periodIndex: null,
    startTime: null,
    expiryTime: null,
  };
  if (product.type === 'one_time') return { purchase, subscription: null };
  const started = startSubscription({ purchaseId, startTime: purchaseTime, timeZone, ...sold });
  const { periodIndex, startTime, expiryTime } = started.month;
  return {
    purchase: { ...purchase, firstPurchaseId: purchaseId, periodIndex, startTime, expiryTime },
    subscription: { packageName, buyerId, ...started.subscription },
  };
}

function refusalOf(
  { environment, allowsSubscriptions }: Recorder,
  { sent, now }: RecordingRequest,
  { purchaseTime, expiryTime }: PurchaseRow,
): RecordingRefusal | undefined {
  const isProduction = environment === 'production';
  if (isProduction && sent.purchaseId !== undefined && isSandboxPurchaseId(sent.purchaseId)) {
    const message = `expected one that does not begin like a test purchase, got "${sent.purchaseId}"`;
    return { kind: 'unusable', field: 'purchaseId', message };
  }
  const latest = now + purchaseTimeAheadMsMax;
  if (purchaseTime > latest) {
    const message = `expected at most ${purchaseTimeAheadMsMax} ms after now, ${latest}, got ${purchaseTime}`;
    return { kind: 'unusable', field: 'purchaseTime', message };
  }
  if (expiryTime === null) return undefined;
  if (!allowsSubscriptions) return { kind: 'subscriptionsNotSold' };
  if (isProduction && expiryTime <= now) {
    const message = `expected a first month that is not over, got one that ended at ${expiryTime}`;
    return { kind: 'unusable', field: 'purchaseTime', message };
  }
  return undefined;
}

/** False, with nothing written, when the id or the order was taken meanwhile. */
function insertDraft(
  database: Database,
  draft: Draft,
  { packageName, now, author }: RecordingRequest,
): Promise<boolean> {
  const { purchase, subscription } = draft;
  const { purchaseId } = purchase;
  return database.transaction({ packageName, record: purchaseId }, async (transaction: Queryable) => {
    // Nobody can hold the subscription before its purchase is there: the order of locks is kept.
    if (!(await insertPurchase(transaction, purchase))) return false;
    if (subscription !== null) await insertSubscription(transaction, subscription);
    await appendEvents(transaction, packageName, [eventOf(draft, now)], author);
    return true;
  });
}

function eventOf({ purchase, subscription }: Draft, eventTime: number): NewEvent {
  const { purchaseId, firstPurchaseId, productId } = purchase;
  const event = { eventTime, purchaseId, firstPurchaseId, productId };
  if (subscription === null) return { type: 'purchase.completed', ...event, record: null };
  const record = describeRecurringPurchase(subscriptionOf(subscription), monthOfPurchase(purchase));
  return { type: 'subscription.started', ...event, record };
}
