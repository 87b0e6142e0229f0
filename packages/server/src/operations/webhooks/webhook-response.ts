// Converts rows of webhooks and deliveries for the operator API.

import { Delivery, Webhook } from '@opentill/contract/webhooks.ts';
import { previousSecretEnd } from '../../domain/webhooks/webhook-signature.ts';
import type { DeliveryRow } from '../../store/webhooks/delivery-rounds.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import { shown } from '../shown.ts';

/** `realNow` decides whether a secret rotation is over. */
export function webhookResponse(row: WebhookRow, realNow: number): Webhook {
  return shown(Webhook, {
    ...row,
    previousSecretUntil: previousSecretEnd(row.previousSecretUntil, realNow),
  });
}

/** The part of the URL of a webhook that is no secret. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

export function deliveryResponse(row: DeliveryRow): Delivery {
  return shown(Delivery, { ...row, id: row.eventId, order: row.eventOrder, type: row.eventType });
}
