// Lists the purchases of an app, newest first.

import { PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import { listPurchases as operation } from '@opentill/contract/operator-api/listPurchases.ts';
import Type from 'typebox';
import { findApp } from '../../store/apps/apps.ts';
import { listPurchases as selectPurchases } from '../../store/purchases/purchase-lists.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, requestedPage } from '../requested-page.ts';
import { purchaseResponse } from './purchase-response.ts';

const token = pageToken(Type.Object({ purchaseTime: Timestamp, purchaseId: PurchaseId }));

export function listPurchases({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, query }) => {
    const { packageName } = path;
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const { productId, buyerId, state, from, to } = query;
    const filter = { packageName, productId, buyerId, state, from, to };
    const { rows, next } = await selectPurchases(database, filter, page);
    return answered(200, { purchases: rows.map(purchaseResponse), ...nextPage(next, token) });
  });
}
