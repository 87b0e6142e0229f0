// Reads a delivery with the request that is sent, and the delivery that it waits for.

import { getDelivery as operation } from '@opentill/contract/operator-api/getDelivery.ts';
import { DeliveryWithRequest } from '@opentill/contract/webhooks.ts';
import { parseEventPosition } from '../../domain/events/event-id.ts';
import { contentHeaders } from '../../domain/webhooks/content-headers.ts';
import { causeOf } from '../../domain/webhooks/delivery-cause.ts';
import { webhookTimestamp } from '../../domain/webhooks/webhook-signature.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { findDelivery, findEarliestOpen } from '../../store/webhooks/deliveries.ts';
import { type DeliveryRow, listEventsOfDeliveries } from '../../store/webhooks/delivery-rounds.ts';
import { deliveredEvent } from '../events/public-event.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchDelivery } from '../refusal.ts';
import { shown } from '../shown.ts';
import { deliveryResponse } from './webhook-response.ts';

export function getDelivery(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName, deliveryId } }) => {
    const order = parseEventPosition(deliveryId)?.order ?? 0;
    const delivery = await findDelivery(store.database, { packageName, order });
    if (delivery?.eventId !== deliveryId) return noSuchDelivery({ packageName, deliveryId });
    const app = await findApp(store.database, packageName);
    const request = await requestOf(store, packageName, delivery);
    const heldBehind = await earlierOf(store, packageName, delivery);
    const cause = causeOf({ ...delivery, heldBehind, isAppDisabled: app?.disabledAt != null });
    const { deliveredTime } = delivery;
    const body = { ...deliveryResponse(delivery), cause, deliveredTime, heldBehind, request };
    return responded(200, shown(DeliveryWithRequest, { ...delivery, ...body }));
  });
}

/** undefined after the retention time of the event. */
async function requestOf(
  { database, environment }: Store,
  packageName: string,
  { eventOrder, eventId, attempts }: DeliveryRow,
): Promise<DeliveryWithRequest['request']> {
  const [event] = await listEventsOfDeliveries(database, { packageName, orders: [eventOrder] });
  if (event === undefined) return undefined;
  const latest = attempts.at(-1);
  return {
    headers: {
      ...contentHeaders,
      'webhook-id': eventId,
      ...(latest !== undefined && { 'webhook-timestamp': webhookTimestamp(latest.time) }),
    },
    body: deliveredEvent(event, { environment, packageName }).body,
  };
}

async function earlierOf({ database }: Store, packageName: string, { state, subject }: DeliveryRow) {
  if (state !== 'held' || subject === null) return undefined;
  return findEarliestOpen(database, { packageName, subject });
}
