// Lists the events of a range of months of a subscription, newest first.

import { EventOrder } from '@opentill/contract/events.ts';
import { listSubscriptionEvents as operation } from '@opentill/contract/operator-api/listSubscriptionEvents.ts';
import type { SubscriptionEvent } from '@opentill/contract/operator-resources.ts';
import Type from 'typebox';
import { eventIdOf } from '../../domain/events/event-id.ts';
import {
  type SubscriptionEventRow,
  listSubscriptionEvents as selectEvents,
} from '../../store/events/subscription-events.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { EventScope } from '../events/public-event.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchSubscription } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { eventPeriodsOf } from './period-range.ts';

const token = pageToken(
  Type.Object({ order: Type.Integer({ ...EventOrder, maximum: Number.MAX_SAFE_INTEGER }) }),
);

export function listSubscriptionEvents({ store }: Uses<'store'>): OperatorHandler {
  const { database, environment } = store;
  return operatorHandler(operation, async ({ path, query }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const subscription = await findSubscription(database, path);
    if (subscription === undefined) return noSuchSubscription(path);
    // A month that was paid after the end of the subscription follows its last one.
    const range = eventPeriodsOf(query, subscription.lastPeriodIndex + 1);
    if (range instanceof Refusal) return range;
    const before = page.after?.order ?? Number.MAX_SAFE_INTEGER;
    const rows = await selectEvents(database, { ...path, ...range, before }, page.limit + 1);
    const { items, next } = pageOfRows(rows, page.limit);
    const scope = { environment, packageName: path.packageName };
    return answered(200, { events: items.map((row) => shownEvent(row, scope)), ...nextPage(next, token) });
  });
}

function shownEvent(row: SubscriptionEventRow, scope: EventScope): SubscriptionEvent {
  const { expiryReason, isImported, ...fields } = row;
  return {
    id: eventIdOf({ ...scope, ...row }),
    ...fields,
    ...(expiryReason !== null && { expiryReason }),
    ...(isImported && { isImported }),
  };
}
