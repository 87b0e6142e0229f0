// An event as it is told: in the feed, by webhooks, and of an advance.

import type { Event } from '@opentill/contract/events.ts';
import type { PurchaseDetails, RecurringPurchaseDetails } from '@opentill/contract/resources.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import type { Environment } from '../../domain/identifiers.ts';
import { describePurchase } from '../../domain/purchases/purchase.ts';
import type { EventRow } from '../../store/events/event-rows.ts';

/** Whose event it is. */
export interface EventScope {
  readonly environment: Environment;
  readonly packageName: string;
}

/** Keys are in the order of the contract. */
export function shownEvent(row: EventRow, { environment, packageName }: EventScope): Event {
  const { order, type, eventTime, requestId, purchaseId, firstPurchaseId, productId } = row;
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
    ...(record !== undefined && { record }),
  } as Event;
}

/**
 * The record right after the change. That of a one-time purchase follows from the type: it is recorded, then
 * perhaps consumed, then perhaps voided, and stays consumed when it is.
 */
function recordOf(row: EventRow): PurchaseDetails | RecurringPurchaseDetails | undefined {
  const { type, eventTime, record, purchaseTime, developerPayload } = row;
  if (record !== null) return record;
  if (purchaseTime === null || developerPayload === null) return undefined;
  const consumedTime = type === 'purchase.completed' ? null : row.consumedTime;
  const voidedTime = type === 'purchase.voided' ? eventTime : null;
  return describePurchase({ purchaseTime, developerPayload, consumedTime, voidedTime });
}
