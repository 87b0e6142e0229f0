// Searches the purchases of all apps by one value, since support often does not know the package.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import { searchPurchases as operation } from '@opentill/contract/operator-api/searchPurchases.ts';
import Type from 'typebox';
import {
  type SearchedValue,
  searchPurchases as selectPurchases,
} from '../../store/purchases/purchase-lists.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type CallOf, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, requestedPage } from '../requested-page.ts';
import { purchaseResponse } from './purchase-response.ts';

const token = pageToken(
  Type.Object({ purchaseTime: Timestamp, packageName: PackageName, purchaseId: PurchaseId }),
);

export function searchPurchases({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query }) => {
    const searched = searchedValue(query);
    if (searched === undefined) {
      const detail = 'Expected exactly one of the parameters purchaseId, orderId and buyerId.';
      return new Refusal('invalidRequest', detail);
    }
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const { rows, next } = await selectPurchases(database.storeWide, searched, page);
    return answered(200, { purchases: rows.map(purchaseResponse), ...nextPage(next, token) });
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
