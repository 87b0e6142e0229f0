// Converts rows of webhooks and deliveries for the operator API.

import type { Delivery, Webhook } from '@opentill/contract/webhooks.ts';
import { previousSecretEnd } from '../../domain/webhooks/webhook-signature.ts';
import type { DeliveryRow } from '../../store/webhooks/undelivered-events.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';

/** `realNow` decides whether a secret rotation is over. */
export function webhookResponse(row: WebhookRow, realNow: number): Webhook {
  const { packageName, url, createdAt, updatedAt } = row;
  const previousSecretUntil = previousSecretEnd(row.previousSecretUntil, realNow);
  return {
    packageName,
    url,
    createdAt,
    updatedAt,
    ...(previousSecretUntil !== undefined && { previousSecretUntil }),
  };
}

/** The part of the URL of a webhook that is no secret. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

export function deliveryResponse(row: DeliveryRow): Delivery {
  const { eventId, eventOrder: order, eventType, eventTime, purchaseId, state, dueTime, attempts } = row;
  return {
    id: eventId,
    order,
    type: eventType,
    eventTime,
    ...(purchaseId !== null && { purchaseId }),
    state,
    ...(dueTime !== null && { dueTime }),
    attempts,
  };
}
