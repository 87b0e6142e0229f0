// Lists the attempts to charge a subscription, newest first.

import { listAttempts as operation } from '@opentill/contract/operator-api/listAttempts.ts';
import Type from 'typebox';
import { listAttempts as selectAttempts } from '../../store/subscriptions/attempt-lists.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchSubscription } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { attemptResponse } from './attempt-response.ts';
import { periodsOf } from './period-range.ts';

/** The largest number of the columns, which no attempt reaches. */
const numberMax = 2 ** 31 - 1;

const position = Type.Integer({ minimum: 1, maximum: numberMax });
const token = pageToken(Type.Object({ periodIndex: position, attempt: position }));

export function listAttempts({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const range = periodsOf(query);
    if (range instanceof Refusal) return range;
    if ((await findSubscription(database, path)) === undefined) return noSuchSubscription(path);
    const { fromPeriod, toPeriod } = range;
    const before = page.after ?? { periodIndex: toPeriod, attempt: numberMax };
    const rows = await selectAttempts(database, { ...path, ...before, fromPeriod }, page.limit + 1);
    const { items, next } = pageOfRows(rows, page.limit);
    return answered(200, { attempts: items.map(attemptResponse), ...nextPage(next, token) });
  });
}
