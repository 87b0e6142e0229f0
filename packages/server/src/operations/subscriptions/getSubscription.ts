// Reads a subscription with its months by its first purchase id.

import { getSubscription as operation } from '@opentill/contract/operator-api/getSubscription.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchSubscription } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { periodsOf } from './period-range.ts';
import { readSubscription } from './read-subscription.ts';

export function getSubscription({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, query, now }) => {
    const { newestMonths, ...periods } = query;
    const range = periodsOf(periods);
    if (range instanceof Refusal) return range;
    const body = await readSubscription(database, path, { ...range, newestMonths, now });
    return body === undefined ? noSuchSubscription(path) : answered(200, body);
  });
}
