// Finds records of the whole store by an id or the start of a name.

import { search as operation } from '@opentill/contract/operator-api/search.ts';
import { SearchHit, searchHitsMax } from '@opentill/contract/search.ts';
import { eventIdOf, parseEventId } from '../../domain/events/event-id.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { listPurchases } from '../../store/purchases/purchase-lists.ts';
import { type FoundRow, listEventsAt, searchRecords } from '../../store/search/searched-records.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { shown } from '../shown.ts';

export function search({ database, environment }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ query: { q } }) => {
    const queryable = database.storeWide;
    // One after another, because each may read a row of every app.
    const hits = [
      ...(await findPurchases(queryable, { purchaseId: q })),
      ...(await findPurchases(queryable, { orderId: q })),
      ...(await findBuyer(queryable, q)),
      ...(await findEvent(queryable, environment, q)),
      ...(await searchRecords(queryable, q)).map((found) => hit(found.kind, found)),
    ];
    return responded(200, { hits: hits.slice(0, searchHitsMax) });
  });
}

function hit(kind: SearchHit['kind'], found: FoundRow): SearchHit {
  const packageName = found.packageName === wholeStore ? null : found.packageName;
  return shown(SearchHit, { ...found, packageName, kind });
}

async function findPurchases(
  queryable: Queryable,
  searched: { readonly purchaseId: string } | { readonly orderId: string },
): Promise<SearchHit[]> {
  const { rows } = await listPurchases(queryable, searched, { after: undefined, limit: searchHitsMax });
  return rows.map(
    ({ packageName, purchaseId: id, firstPurchaseId, productId: about, purchaseTime: time }) => ({
      kind: id === firstPurchaseId ? 'subscription' : 'purchase',
      id,
      packageName,
      about,
      time,
    }),
  );
}

async function findBuyer(queryable: Queryable, buyerId: string): Promise<SearchHit[]> {
  const { rows } = await listPurchases(queryable, { buyerId }, { after: undefined, limit: 1 });
  return rows.map(() => ({ kind: 'buyer', id: buyerId }));
}

/** A delivery has the id of its event. */
async function findEvent(
  queryable: Queryable,
  environment: Store['environment'],
  id: string,
): Promise<SearchHit[]> {
  const order = parseEventId(id);
  const candidates = order === undefined ? [] : await listEventsAt(queryable, order);
  return candidates
    .filter((event) => eventIdOf({ ...event, environment }) === id)
    .map((event) => hit(event.hasDelivery ? 'delivery' : 'event', { ...event, id }));
}
