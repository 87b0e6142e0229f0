// Reschedules a delivery to the webhook of an app.

import { redeliver as operation } from '@opentill/contract/operator-api/redeliver.ts';
import { parseEventPosition } from '../../domain/events/event-id.ts';
import type { Store } from '../../store/store.ts';
import { findDelivery, reopen } from '../../store/webhooks/deliveries.ts';
import { lockWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchDelivery, noSuchWebhook, Refusal } from '../refusal.ts';
import { deliveryResponse } from './webhook-response.ts';

export function redeliver({ database }: Store): OperatorHandler {
  return operatorHandler(operation, ({ path: { packageName, deliveryId }, now, recordAction }) => {
    const order = parseEventPosition(deliveryId)?.order ?? 0;
    const key = { packageName, order };
    return database.transaction({ packageName }, async (transaction) => {
      if ((await lockWebhook(transaction, packageName)) === undefined) return noSuchWebhook(packageName);
      const delivery = await findDelivery(transaction, key);
      if (delivery?.eventId !== deliveryId) return noSuchDelivery({ packageName, deliveryId });
      if (delivery.state === 'held') {
        const detail = `Delivery ${deliveryId} waits for an earlier event of the same purchase.`;
        return new Refusal('conflict', detail);
      }
      await reopen(transaction, { packageName, orders: [order], now });
      const reopened = await findDelivery(transaction, key);
      // A reset that started before the webhook existed may have removed the delivery.
      if (reopened === undefined) return noSuchDelivery({ packageName, deliveryId });
      await recordAction(transaction, packageName);
      return responded(200, deliveryResponse(reopened));
    });
  });
}
