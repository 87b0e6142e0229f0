// Converts the row of an event for the feed, webhooks and advanceClock.

import type { Event, EventType } from '@opentill/contract/events.ts';
import type { PurchaseDetails, RecurringPurchaseDetails } from '@opentill/contract/resources.ts';
import { publicAuthor } from '../../domain/author.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { describePurchase } from '../../domain/purchases/purchase.ts';
import type { PeriodRecord } from '../../domain/subscriptions/subscription.ts';
import type { EventRow } from '../../store/events/event-rows.ts';

/** The app of an event. */
export interface EventScope {
  readonly environment: Environment;
  readonly packageName: string;
}

/** Events that say who made the change. */
const authoredTypes: ReadonlySet<EventType> = new Set([
  'subscription.auto_payment_cancelled',
  'subscription.auto_payment_reactivated',
  'subscription.renewal_price_changed',
  'subscription.extended',
  'subscription.terminated',
]);

/** The sales, and the voids that take them back. */
const moneyTypes: ReadonlySet<EventType> = new Set([
  'purchase.completed',
  'purchase.voided',
  'subscription.started',
  'subscription.renewed',
]);

/** The keys are in the order of the contract. */
export function publicEvent(row: EventRow, { environment, packageName }: EventScope): Event {
  const { order, type, eventTime, requestId, purchaseId, firstPurchaseId, productId, expiryReason } = row;
  const {
    purchaseTime,
    price,
    renewalPrice,
    currency,
    voidCause,
    refundAmount,
    previousExpiryTime,
    attempt,
    consent,
    previousRenewalPrice,
  } = row;
  const record = recordOf(row);
  return {
    id: eventIdOf({ environment, packageName, order, requestId }),
    type,
    order,
    eventTime,
    environment,
    packageName,
    ...(purchaseId !== null && { purchaseId }),
    ...(firstPurchaseId !== null && { firstPurchaseId }),
    ...(productId !== null && { productId }),
    ...(expiryReason !== null && { expiryReason }),
    ...(previousExpiryTime !== null && { previousExpiryTime }),
    ...(attempt !== null && { attempt, isLastAttempt: row.record?.nextPaymentTime === undefined }),
    ...(moneyTypes.has(type) && { purchaseTime, price, currency }),
    ...(previousRenewalPrice !== null && { currency, previousRenewalPrice }),
    ...(renewalPrice !== null && { renewalPrice }),
    ...(record !== undefined && { record }),
    ...(type === 'purchase.voided' && { refundAmount: refundAmount ?? price }),
    ...(type === 'purchase.voided' && voidCause !== null && { voidCause }),
    ...(authoredTypes.has(type) && { madeBy: publicAuthor(row.madeBy) }),
    ...(consent !== null && { consent }),
  } as Event;
}

/** The body of a webhook: the same for every attempt. */
export function deliveredEvent(
  row: EventRow,
  scope: EventScope,
): { readonly id: string; readonly body: string } {
  const event = publicEvent(row, scope);
  return { id: event.id, body: JSON.stringify(event) };
}

/**
 * The record right after the change. For a one-time purchase it follows from the type of the event, because a purchase
 * is recorded first, consumed before it is voided if at all, and never unconsumed.
 */
function recordOf(row: EventRow): PurchaseDetails | RecurringPurchaseDetails | undefined {
  const { type, eventTime, record, price, purchaseTime, developerPayload } = row;
  if (record !== null && price !== null) return pricedRecord(record, price);
  if (purchaseTime === null || developerPayload === null) return undefined;
  const consumedTime = type === 'purchase.completed' ? null : row.consumedTime;
  const voidedTime = type === 'purchase.voided' ? eventTime : null;
  return describePurchase({ purchaseTime, developerPayload, consumedTime, voidedTime });
}

/** In the order of the contract. */
function pricedRecord(
  { startTime, expiryTime, nextPaymentTime, autoRenewing, ...rest }: PeriodRecord,
  price: number,
): RecurringPurchaseDetails {
  const due = nextPaymentTime === undefined ? {} : { nextPaymentTime };
  return { startTime, expiryTime, ...due, autoRenewing, price, ...rest };
}
