// Records a purchase once, however often and however concurrently the call is repeated
// (docs/decisions/purchases.md).

import { recordPurchase as operation } from '@opentill/contract/operator-api/recordPurchase.ts';
import { appAuthor } from '../../domain/author.ts';
import {
  generatedPurchaseId,
  isSandboxPurchaseId,
  type ProductId,
  type PurchaseId,
  purchaseIdDigits,
  sandboxPurchaseIdPrefix,
} from '../../domain/identifiers.ts';
import { compareRecorded, type RecordedFields } from '../../domain/purchases/purchase.ts';
import { type SentTerms, soldTerms } from '../../domain/subscriptions/sold-terms.ts';
import {
  describePeriod,
  renewalPriceOf,
  startSubscription,
} from '../../domain/subscriptions/subscription.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { findApp } from '../../store/apps/apps.ts';
import { findProduct, type ProductRow } from '../../store/apps/products.ts';
import type { Database } from '../../store/connection/database.ts';
import { sharedWrites } from '../../store/connection/shared-writes.ts';
import { appendEvents, type CallAuthor, type NewEvent } from '../../store/events/events.ts';
import {
  findPurchase,
  findPurchaseByOrder,
  type PurchaseRow,
  periodFromPurchaseRow,
  purchaseFromRow,
} from '../../store/purchases/purchases.ts';
import {
  insertOneTime,
  insertPurchase,
  type NewPurchase,
  newPurchaseState,
  recordedColumns,
} from '../../store/purchases/recorded-purchases.ts';
import type { Store } from '../../store/store.ts';
import {
  insertSubscription,
  type NewSubscription,
  subscriptionFromRow,
} from '../../store/subscriptions/subscriptions.ts';
import { type OperatorHandler, operatorHandler, type ResponseOf, responded } from '../operator-handler.ts';
import { noPaymentGateway, noSuchApp, Refusal, refuseValue } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';
import { compareSold } from './recorded-terms.ts';
import { refuseConsumedPeriod, refuseTerms, refuseTime } from './refused-sale.ts';

interface Options {
  readonly store: Store;
  readonly randomness: Randomness;
  /** Periods of new subscriptions follow its calendar. */
  readonly timeZone: string;
  /** False in production without a payment gateway, where no second period could be charged. */
  readonly allowsSubscriptions: boolean;
}

interface RecordingRequest {
  readonly packageName: string;
  readonly sent: RecordedFields & SentTerms & { readonly productId: ProductId; readonly consumed?: boolean };
  readonly author: CallAuthor;
}

type RecordingResponse = ResponseOf<typeof operation>;

/** Redraws after an id collision; eight in a row never happen in practice. */
const drawsMax = 8;

/**
 * Concurrent purchases of one-time products share an INSERT; a purchase that it does not insert is looked up and
 * recorded on its own. After DatabaseUnavailable the purchase may have been recorded, and a retry reports that.
 */
export function recordPurchase(options: Options): OperatorHandler {
  const { store } = options;
  const alone = (request: RecordingRequest) => recordAlone(options, request);
  const record = sharedWrites<RecordingRequest, RecordingResponse>(store.database, {
    async together(requests) {
      const purchases = await insertOneTime(
        store,
        requests.map((request) => newPurchaseOf(options, request)),
      );
      return purchases.map((purchase) => purchase && responded(201, purchaseResponse(purchase)));
    },
    alone,
  });
  return operatorHandler(operation, async ({ path: { packageName }, body, author }) => {
    const request = { packageName, sent: body as RecordingRequest['sent'], author };
    const isOneTime = request.sent.firstPeriod === undefined && request.sent.renewalPrice === undefined;
    return isOneTime && refuseSent(options, request) === undefined ? record(request) : alone(request);
  });
}

async function recordAlone(options: Options, request: RecordingRequest): Promise<RecordingResponse> {
  const { database } = options.store;
  const { packageName, sent } = request;
  const { productId } = sent;
  for (let draw = 0; draw < drawsMax; draw += 1) {
    const recorded = await findRecorded(database, request);
    if (recorded !== undefined) return recorded;
    const product = await findProduct(database, { packageName, productId });
    const app = await findApp(database, packageName);
    if (app === undefined) return noSuchApp(packageName);
    if (app.disabledAt !== null) {
      return new Refusal('conflict', `App ${packageName} is disabled: it sells nothing until it is enabled.`);
    }
    if (product === undefined) {
      const message = `expected a product of this app, got ${productId} (create it with putProduct)`;
      return refuseValue('invalidRequest', '/productId', message);
    }
    const refusal = refuseSent(options, request) ?? refuseTerms(product, sent);
    if (refusal !== undefined) return refusal;
    const inserted = await insertAlone(options, request, product);
    if (inserted !== undefined) return inserted;
    // A concurrent call has used the id or the order id: find its record, or draw another id.
  }
  throw new Error(`Each of ${drawsMax} drawn purchase ids was taken.`);
}

async function findRecorded(
  database: Database,
  request: RecordingRequest,
): Promise<RecordingResponse | undefined> {
  const { packageName, sent } = request;
  const { purchaseId, orderId } = sent;
  const byId = purchaseId && (await findPurchase(database, { packageName, purchaseId }));
  const byOrder = orderId && (await findPurchaseByOrder(database, { packageName, orderId }));
  const purchase = byId || byOrder;
  if (!purchase) return undefined;
  const recordedId = purchase.purchaseId;
  if (byOrder && byOrder.purchaseId !== recordedId) {
    const detail = `The purchaseId belongs to purchase ${recordedId}, the orderId to purchase ${byOrder.purchaseId}.`;
    return new Refusal('conflict', detail);
  }
  if (sent.consumed === true && purchase.firstPurchaseId !== null) return refuseConsumedPeriod();
  const fields = [
    ...compareRecorded(purchaseFromRow(purchase), sent),
    ...(await compareSold(database, purchase, sent)),
  ];
  if (fields.length === 0) {
    return sent.consumed === true && purchase.consumedTime === null
      ? new Refusal('conflict', `Purchase ${recordedId} is recorded and not consumed: use recordConsumption.`)
      : responded(200, purchaseResponse(purchase));
  }
  const message = `expected the value of the recorded purchase ${recordedId}`;
  return new Refusal(
    'conflict',
    `Purchase ${recordedId} is already recorded with a different ${fields.join(', ')}.`,
    fields.map((field) => ({ path: `/${field}`, message })),
  );
}

/** The rows of a new purchase. */
interface Draft {
  readonly purchase: PurchaseRow;
  /** The subscription that starts with this purchase. */
  readonly subscription: NewSubscription | null;
}

/** The sent values, with a drawn id. */
function newPurchaseOf(
  { store: { environment, clock }, randomness }: Options,
  { packageName, sent, author }: RecordingRequest,
): NewPurchase & { readonly purchaseId: PurchaseId; readonly productId: ProductId } {
  const isConsumed = sent.consumed === true;
  const draw = () => ({
    environment,
    now: sent.purchaseTime ?? clock.expected(),
    digits: randomness.digits(purchaseIdDigits),
  });
  return {
    packageName,
    purchaseId: sent.purchaseId ?? generatedPurchaseId(draw()),
    productId: sent.productId,
    orderId: sent.orderId ?? null,
    buyerId: sent.buyerId ?? null,
    purchaseTime: sent.purchaseTime ?? null,
    developerPayload: sent.developerPayload ?? '',
    isConsumed,
    consumedBy: isConsumed && author.madeBy !== appAuthor ? author.madeBy : null,
    price: sent.firstPeriod?.price ?? sent.price ?? null,
    ...author,
  };
}

/** `now` is the app's time. */
function draftOf(
  options: Options,
  request: RecordingRequest,
  of: { product: ProductRow; now: number },
): Draft {
  const { product, now } = of;
  const { isConsumed, madeBy, requestId, clientAddress, ...sent } = newPurchaseOf(options, request);
  const { packageName, purchaseId, productId, buyerId, developerPayload } = sent;
  const purchaseTime = sent.purchaseTime ?? now;
  const consumedTime = isConsumed ? purchaseTime : null;
  const { currency } = product;
  const price = sent.price ?? product.price;
  const recordedWith = recordedColumns(request.author);
  const times = { purchaseTime, consumedTime };
  const purchase: PurchaseRow = { ...newPurchaseState, ...sent, ...times, ...recordedWith, price, currency };
  const { period } = product;
  if (period === null) return { purchase, subscription: null };
  const { paidPeriod, subscription } = startSubscription({
    purchaseId,
    startTime: purchaseTime,
    timeZone: options.timeZone,
    productId,
    developerPayload,
    currency,
    period,
    ...soldTerms(request.sent, product.price),
  });
  const { periodIndex, startTime, expiryTime } = paidPeriod;
  return {
    purchase: { ...purchase, firstPurchaseId: purchaseId, periodIndex, startTime, expiryTime },
    subscription: { packageName, buyerId, ...subscription },
  };
}

/** Rejects values that this environment does not allow. */
function refuseSent(
  { store: { environment } }: Options,
  { sent }: RecordingRequest,
): Refusal<'invalidRequest'> | undefined {
  if (environment === 'production' && sent.purchaseId !== undefined && isSandboxPurchaseId(sent.purchaseId)) {
    const message = `expected an id that does not start with ${sandboxPurchaseIdPrefix}, got "${sent.purchaseId}"`;
    return refuseValue('invalidRequest', '/purchaseId', message);
  }
  if (environment === 'production' && sent.purchaseId === undefined && sent.orderId === undefined) {
    const message = 'expected an orderId or a purchaseId, by which a retry finds the purchase, got neither';
    return refuseValue('invalidRequest', '/orderId', message);
  }
  return undefined;
}

/** Rejects a first period that cannot be sold; one-time purchases have none. */
function refuseFirstPeriod(
  { store: { environment }, allowsSubscriptions }: Options,
  { expiryTime, consumedTime }: PurchaseRow,
  now: number,
): Refusal<'invalidRequest' | 'conflict'> | undefined {
  if (expiryTime === null) return undefined;
  if (consumedTime !== null) return refuseConsumedPeriod();
  if (!allowsSubscriptions) return noPaymentGateway();
  if (environment === 'sandbox' || expiryTime > now) return undefined;
  const message = `expected a first period that has not ended, got one that ended at ${quoteInstant(expiryTime)}`;
  return refuseValue('invalidRequest', '/purchaseTime', message);
}

/** Returns undefined and writes nothing if the id or the order id has been taken since it was looked up. */
function insertAlone(
  options: Options,
  request: RecordingRequest,
  product: ProductRow,
): Promise<RecordingResponse | undefined> {
  const { packageName, author } = request;
  const { database, clock } = options.store;
  return database.transaction({ packageName }, async (transaction) => {
    const { now } = await clock.read(transaction, packageName);
    const draft = draftOf(options, request, { product, now });
    const { purchase, subscription } = draft;
    const refusal = refuseTime(purchase, now) ?? refuseFirstPeriod(options, purchase, now);
    if (refusal !== undefined) return refusal;
    // Nothing locks a subscription before its purchase exists, so the lock order is kept.
    if (!(await insertPurchase(transaction, purchase))) return undefined;
    if (subscription !== null) await insertSubscription(transaction, subscription);
    await appendEvents(transaction, packageName, eventsOf(draft, now), author);
    return responded(201, purchaseResponse(purchase));
  });
}

function eventsOf({ purchase, subscription }: Draft, eventTime: number): NewEvent[] {
  const { purchaseId, firstPurchaseId, productId, consumedTime } = purchase;
  const event = { eventTime, purchaseId, firstPurchaseId, productId, record: null };
  if (subscription === null) {
    const completed = { ...event, type: 'purchase.completed' } as const;
    return consumedTime === null ? [completed] : [completed, { ...event, type: 'purchase.consumed' }];
  }
  const record = describePeriod(subscriptionFromRow(subscription), periodFromPurchaseRow(purchase));
  const renewalPrice = renewalPriceOf(subscription);
  return [{ ...event, type: 'subscription.started', record, renewalPrice }];
}
