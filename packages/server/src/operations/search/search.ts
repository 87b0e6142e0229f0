// Finds records of the whole store by an id or the start of a name.

import { sizes } from '@opentill/contract/fields.ts';
import { search as operation } from '@opentill/contract/operator-api/search.ts';
import { type SearchHit, type SearchTarget, searchHitsMax } from '@opentill/contract/search.ts';
import { parseEventId } from '../../domain/events/event-id.ts';
import { environmentOfGenerated, parseProductId, parsePurchaseId } from '../../domain/identifiers.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { type SearchScope, searchers } from './searchers.ts';

/** Whether a text of the largest size of the contract may be each target; others could not be stored or sent. */
const mayBe: Readonly<Record<SearchTarget, (text: string) => boolean>> = {
  purchaseId: (text) => parsePurchaseId(text) !== undefined,
  orderId: (text) => text.length <= sizes.orderId,
  buyerId: (text) => text.length <= sizes.buyerId,
  deliveryId: (text) => parseEventId(text) !== undefined,
  eventId: (text) => parseEventId(text) !== undefined,
  requestId: (text) => /^[A-Za-z0-9_-]+$/.test(text),
  packageName: (text) => text.length <= sizes.packageName && parseProductId(text) !== undefined,
  productId: (text) => parseProductId(text) !== undefined,
};
const targets = Object.keys(mayBe) as SearchTarget[];

export function search({ store: { database, environment } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query: { q } }) => {
    const lookedFor = targets.filter((target) => mayBe[target](q));
    const generatedIn = environmentOfGenerated(q);
    return answered(200, {
      hits: await hitsOf({ database: database.storeWide, environment }, q, lookedFor),
      lookedFor,
      ...(generatedIn !== undefined && { generatedIn }),
    });
  });
}

/** One after another, because each of them may read a row of every app. */
async function hitsOf(
  scope: SearchScope,
  text: string,
  lookedFor: readonly SearchTarget[],
): Promise<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (const target of lookedFor) {
    // A delivery has the id of its event.
    if (target === 'eventId' && hits.some(({ kind }) => kind === 'delivery')) continue;
    hits.push(...(await searchers[target](scope, text)));
  }
  return hits.slice(0, searchHitsMax);
}
