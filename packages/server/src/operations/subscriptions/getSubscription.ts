// Reads a subscription with its periods, charges and events by its first purchase id.

import { getSubscription as operation } from '@opentill/contract/operator-api/getSubscription.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchSubscription, refuseValue } from '../refusal.ts';
import { allPeriods, readSubscription } from './read-subscription.ts';

export function getSubscription(store: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, query, now, role }) => {
    const { fromPeriod, toPeriod } = { ...allPeriods, ...query };
    if (fromPeriod > toPeriod) {
      const message = `expected at least fromPeriod, which is ${fromPeriod}, got ${toPeriod}`;
      return refuseValue('invalidRequest', 'toPeriod', message);
    }
    const body = await readSubscription(store, path, { ...query, now, role });
    return body === undefined ? noSuchSubscription(path) : responded(200, body);
  });
}
