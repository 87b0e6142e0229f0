// Lists the purchases of all apps, or those with one value, since support often does not know the package.

import { searchPurchases as operation } from '@opentill/contract/operator-api/searchPurchases.ts';
import { FoundPosition, searchPurchases as readPage } from '../../store/purchases/purchase-lists.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';

export function searchPurchases({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, FoundPosition, async ({ query }, page) => {
    const { purchaseId, orderId, buyerId } = query;
    const given = [purchaseId, orderId, buyerId].filter((value) => value !== undefined);
    if (given.length > 1) {
      const detail = 'Expected at most one of the parameters purchaseId, orderId and buyerId.';
      return new Refusal('invalidRequest', detail);
    }
    const { rows, next } = await readPage(database.storeWide, { purchaseId, orderId, buyerId }, page);
    return { purchases: rows.map(purchaseResponse), next };
  });
}
