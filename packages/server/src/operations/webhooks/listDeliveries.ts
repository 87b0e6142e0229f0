// Lists the deliveries to the webhook of an app, newest first.

import { listDeliveries as operation } from '@opentill/contract/operator-api/listDeliveries.ts';
import Type from 'typebox';
import { findApp } from '../../store/apps/apps.ts';
import { listDeliveries as listRows } from '../../store/webhooks/deliveries.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { deliveryResponse } from './webhook-response.ts';

const token = pageToken(
  Type.Object({ order: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
);

export function listDeliveries({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const before = page.after?.order ?? Number.MAX_SAFE_INTEGER;
    const { state, purchaseId } = query;
    const wanted = { packageName, before, limit: page.limit + 1, state, purchaseId };
    const { items, next } = pageOfRows(await listRows(database, wanted), page.limit);
    return answered(200, {
      deliveries: items.map(deliveryResponse),
      ...nextPage(next && { order: next.eventOrder }, token),
    });
  });
}
