// Records a purchase once, however often and by however many callers at the same time it is asked for
// (docs/decisions/recording-purchases.md).

import {
  type Environment,
  generatedPurchaseId,
  isSandboxPurchaseId,
  type ProductId,
  type PurchaseId,
  purchaseIdDigits,
  sandboxPurchaseIdPrefix,
} from '../../domain/identifiers.ts';
import { compareRecorded, type RecordedFields } from '../../domain/purchases/purchase.ts';
import { describeRecurringPurchase, startSubscription } from '../../domain/subscriptions/subscription.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { findProduct, type ProductRow } from '../../store/apps/products.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { sharedWrites } from '../../store/connection/shared-writes.ts';
import { type Author, appendEvents, type NewEvent } from '../../store/events/events.ts';
import { findPurchase, findPurchaseByOrder, type PurchaseRow } from '../../store/purchases/purchases.ts';
import {
  insertOneTime,
  insertPurchase,
  type NewPurchase,
  newPurchaseState,
} from '../../store/purchases/recorded-purchases.ts';
import { insertSubscription, type SubscriptionRow } from '../../store/subscriptions/subscriptions.ts';
import { subscriptionOf } from '../subscriptions/subscription-view.ts';
import { monthOfPurchase, purchaseOf } from './purchase-view.ts';

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

/** For a subscription product or purchase on a server without a payment gateway. */
export const subscriptionsNotSold =
  'Subscriptions require a payment gateway in production: set OPENTILL_PAYMENT_GATEWAY_URL.';

/** A checkout's clock may be ahead of ours by so much, in ms; a purchase is not made in the future. */
const purchaseTimeAheadMsMax = 60_000;

/** A draw meets a taken id once in a hundred at a million purchases a second: so many never all do. */
const drawsMax = 8;

/**
 * A function that records one purchase. Purchases of one-time products share a statement that inserts them; whatever
 * it does not insert is looked up and recorded on its own.
 * @throws DatabaseUnavailable: then it may have been recorded, and the same call reports that.
 */
export function purchaseRecorder(recorder: Recorder): (request: RecordingRequest) => Promise<Recording> {
  const alone = (request: RecordingRequest) => recordAlone(recorder, request);
  const record = sharedWrites<RecordingRequest, Recording>(recorder.database, {
    async together(requests) {
      const purchases = await insertOneTime(
        recorder.database,
        requests.map((request) => newPurchaseOf(recorder, request)),
      );
      return purchases.map((purchase) => purchase && { kind: 'recorded', purchase });
    },
    alone,
  });
  return (request) => (refusalOfValues(recorder, request) === undefined ? record(request) : alone(request));
}

async function recordAlone(recorder: Recorder, request: RecordingRequest): Promise<Recording> {
  const { database } = recorder;
  const { packageName, sent } = request;
  for (let draw = 0; draw < drawsMax; draw += 1) {
    const met = await findRecorded(database, request);
    if (met !== undefined) return met;
    const product = await findProduct(database, { packageName, productId: sent.productId });
    if (product === undefined) return { kind: 'unknownProduct' };
    const draft = draftOf(recorder, request, product);
    const refusal = refusalOfValues(recorder, request) ?? refusalOfMonth(recorder, request, draft.purchase);
    if (refusal !== undefined) return refusal;
    if (await insertDraft(database, draft, request)) return { kind: 'recorded', purchase: draft.purchase };
    // The id or the order id has been taken since then: find that record, or draw another id.
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

/** What is sent, with a drawn id and the current time where these are missing. */
function newPurchaseOf(
  { environment, randomness }: Recorder,
  { packageName, sent, now, author }: RecordingRequest,
): NewPurchase & { readonly purchaseId: PurchaseId; readonly productId: ProductId } {
  const purchaseTime = sent.purchaseTime ?? now;
  const draw = () => ({ environment, now: purchaseTime, digits: randomness.digits(purchaseIdDigits) });
  return {
    packageName,
    purchaseId: sent.purchaseId ?? generatedPurchaseId(draw()),
    productId: sent.productId,
    orderId: sent.orderId ?? null,
    buyerId: sent.buyerId ?? null,
    purchaseTime,
    developerPayload: sent.developerPayload ?? '',
    price: sent.price ?? null,
    eventTime: now,
    ...author,
  };
}

function draftOf(recorder: Recorder, request: RecordingRequest, product: ProductRow): Draft {
  const { eventTime, madeBy, requestId, ...sent } = newPurchaseOf(recorder, request);
  const { packageName, purchaseId, productId, buyerId, purchaseTime, developerPayload } = sent;
  const { currency } = product;
  const price = sent.price ?? product.price;
  const purchase: PurchaseRow = { ...newPurchaseState, ...sent, price, currency };
  if (product.type === 'one_time') return { purchase, subscription: null };
  const { month, subscription } = startSubscription({
    purchaseId,
    startTime: purchaseTime,
    timeZone: recorder.timeZone,
    productId,
    developerPayload,
    price,
    currency,
  });
  const { periodIndex, startTime, expiryTime } = month;
  return {
    purchase: { ...purchase, firstPurchaseId: purchaseId, periodIndex, startTime, expiryTime },
    subscription: { packageName, buyerId, ...subscription },
  };
}

function refusalOfValues(
  { environment }: Recorder,
  { sent, now }: RecordingRequest,
): RecordingRefusal | undefined {
  if (environment === 'production' && sent.purchaseId !== undefined && isSandboxPurchaseId(sent.purchaseId)) {
    const message = `expected an id that does not start with ${sandboxPurchaseIdPrefix}, got "${sent.purchaseId}"`;
    return { kind: 'unusable', field: 'purchaseId', message };
  }
  const purchaseTime = sent.purchaseTime ?? now;
  const latest = now + purchaseTimeAheadMsMax;
  if (purchaseTime <= latest) return undefined;
  const message = `expected at most ${latest} (${purchaseTimeAheadMsMax} ms after now), got ${purchaseTime}`;
  return { kind: 'unusable', field: 'purchaseTime', message };
}

/** The first month of a subscription; a one-time purchase is never refused. */
function refusalOfMonth(
  { environment, allowsSubscriptions }: Recorder,
  { now }: RecordingRequest,
  { expiryTime }: PurchaseRow,
): RecordingRefusal | undefined {
  if (expiryTime === null) return undefined;
  if (!allowsSubscriptions) return { kind: 'subscriptionsNotSold' };
  if (environment === 'production' && expiryTime <= now) {
    const message = `expected a first month that has not ended, got one that ended at ${expiryTime}`;
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
