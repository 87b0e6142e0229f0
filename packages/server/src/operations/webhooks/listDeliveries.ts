// Lists the deliveries to the webhook of an app, newest first.

import { listDeliveries as operation } from '@opentill/contract/operator-api/listDeliveries.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { DeliveryPosition, listDeliveries as readPage } from '../../store/webhooks/deliveries.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { noSuchApp } from '../refusal.ts';
import { deliveryResponse } from './webhook-response.ts';

export function listDeliveries({ database }: Store): OperatorHandler {
  return listHandler(operation, DeliveryPosition, async ({ path: { packageName }, query }, page) => {
    const queryable = database.scopedTo(packageName);
    if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
    const { rows, next } = await readPage(queryable, { ...query, packageName }, page);
    return { deliveries: rows.map(deliveryResponse), next };
  });
}
