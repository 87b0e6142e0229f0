// Searches the purchases of all apps by one value, since support often does not know the package.

import { searchPurchases as operation } from '@opentill/contract/operator-api/searchPurchases.ts';
import {
  FoundPosition,
  searchPurchases as readPage,
  type SearchedValue,
} from '../../store/purchases/purchase-lists.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import type { CallOf, OperatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { purchaseResponse } from './purchase-response.ts';

export function searchPurchases({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, FoundPosition, async ({ query }, page) => {
    const searched = searchedValue(query);
    if (searched === undefined) {
      const detail = 'Expected exactly one of the parameters purchaseId, orderId and buyerId.';
      return new Refusal('invalidRequest', detail);
    }
    const { rows, next } = await readPage(database.storeWide, searched, page);
    return { purchases: rows.map(purchaseResponse), next };
  });
}

function searchedValue(query: CallOf<typeof operation>['query']): SearchedValue | undefined {
  const { purchaseId, orderId, buyerId } = query;
  const searched: SearchedValue[] = [];
  if (purchaseId !== undefined) searched.push({ purchaseId });
  if (orderId !== undefined) searched.push({ orderId });
  if (buyerId !== undefined) searched.push({ buyerId });
  return searched.length === 1 ? searched[0] : undefined;
}
