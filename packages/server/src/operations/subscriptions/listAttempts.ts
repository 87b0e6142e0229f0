// Lists the attempts to charge a subscription, newest first.

import { listAttempts as operation } from '@opentill/contract/operator-api/listAttempts.ts';
import { AttemptPosition, listAttempts as readPage } from '../../store/subscriptions/attempt-lists.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import { noSuchSubscription } from '../missing.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { attemptResponse } from './attempt-response.ts';
import { periodsOf } from './period-range.ts';

export function listAttempts({ store: { database } }: Uses<'store'>): OperatorHandler {
  return listHandler(operation, AttemptPosition, async ({ path, query }, page) => {
    const queryable = database.scopedTo(path.packageName);
    const range = periodsOf(query);
    if (range instanceof Refusal) return range;
    if ((await findSubscription(queryable, path)) === undefined) return noSuchSubscription(path);
    const { rows, next } = await readPage(queryable, { ...path, ...range }, page);
    return { attempts: rows.map(attemptResponse), next };
  });
}
