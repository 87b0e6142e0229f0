// Looks for one kind of record each.

import { type SearchHit, type SearchTarget, searchHitsMax } from '@opentill/contract/search.ts';
import { eventIdOf, parseEventId } from '../../domain/events/event-id.ts';
import { noApp } from '../../store/audit/actions.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { type SearchedValue, searchPurchases } from '../../store/purchases/purchase-lists.ts';
import {
  findActions,
  findAppsByStart,
  findDeliveries,
  findLoggedCalls,
  findProductsByStart,
  listEventsAt,
} from '../../store/search/searched-records.ts';
import type { Store } from '../../store/store.ts';
import { purchaseResponse } from '../purchases/purchase-response.ts';

export interface SearchScope extends Pick<Store, 'environment'> {
  /** For statements about all apps. */
  readonly database: Queryable;
}

type Searcher = (scope: SearchScope, text: string) => Promise<SearchHit[]>;

const listPurchases = async ({ database }: SearchScope, searched: SearchedValue, limit: number) =>
  (await searchPurchases(database, searched, { after: undefined, limit })).rows;

const purchasesBy =
  (foundBy: 'purchaseId' | 'orderId', searchedValue: (text: string) => SearchedValue): Searcher =>
  async (scope, text) => {
    const rows = await listPurchases(scope, searchedValue(text), searchHitsMax);
    return rows.map((row) => ({
      kind: 'purchase',
      packageName: row.packageName,
      id: row.purchaseId,
      foundBy,
      purchase: purchaseResponse(row),
    }));
  };

interface FoundEvent {
  readonly type: Extract<SearchHit, { kind: 'event' }>['type'];
  readonly packageName: string;
  readonly eventTime: number;
  readonly purchaseId: string | null;
}

const eventHit = (id: string, { packageName, type, eventTime, purchaseId }: FoundEvent) => ({
  packageName,
  id,
  type,
  eventTime,
  ...(purchaseId !== null && { purchaseId }),
});

const findEvent: Searcher = async ({ database, environment }, id) => {
  const order = parseEventId(id);
  if (order === undefined) return [];
  const candidates = await listEventsAt(database, order);
  return candidates
    .filter(({ packageName, requestId }) => eventIdOf({ environment, packageName, order, requestId }) === id)
    .map((found) => ({ kind: 'event', ...eventHit(id, found) }));
};

const findDelivery: Searcher = async ({ database }, id) => {
  const order = parseEventId(id);
  if (order === undefined) return [];
  const found = await findDeliveries(database, { order, id });
  return found.map((delivery) => ({ kind: 'delivery', ...eventHit(id, delivery), state: delivery.state }));
};

const findRequest: Searcher = async ({ database }, id) => {
  const actions = await findActions(database, id, searchHitsMax);
  const calls = await findLoggedCalls(database, id, searchHitsMax);
  return [
    ...actions.map(
      ({ packageName, operationId, time, subject }): SearchHit => ({
        kind: 'action',
        ...(packageName !== noApp && { packageName }),
        id,
        operationId,
        time,
        ...(subject !== null && { subject }),
      }),
    ),
    ...calls.map(
      ({ packageName, operationId, time, httpStatus }): SearchHit => ({
        kind: 'request',
        packageName,
        id,
        operationId,
        time,
        ...(httpStatus !== null && { httpStatus }),
      }),
    ),
  ];
};

const findApps: Searcher = async ({ database }, start) => {
  const apps = await findAppsByStart(database, start, searchHitsMax);
  return apps.map(({ packageName, name }) => ({
    kind: 'app',
    packageName,
    id: packageName,
    ...(name !== null && { name }),
  }));
};

const findProducts: Searcher = async ({ database }, start) => {
  const products = await findProductsByStart(database, start, searchHitsMax);
  return products.map(({ packageName, productId, title }) => ({
    kind: 'product',
    packageName,
    id: productId,
    ...(title !== null && { title }),
  }));
};

/** Each returns at most `searchHitsMax` hits for a text that may be its target. */
export const searchers: Readonly<Record<SearchTarget, Searcher>> = {
  purchaseId: purchasesBy('purchaseId', (purchaseId) => ({ purchaseId })),
  orderId: purchasesBy('orderId', (orderId) => ({ orderId })),
  buyerId: async (scope, id) => {
    const purchases = await listPurchases(scope, { buyerId: id }, 1);
    return purchases.map(() => ({ kind: 'buyer', id }));
  },
  deliveryId: findDelivery,
  eventId: findEvent,
  requestId: findRequest,
  packageName: findApps,
  productId: findProducts,
};
