// Lists the events of a range of months of a subscription, newest first.

import { listSubscriptionEvents as operation } from '@opentill/contract/operator-api/listSubscriptionEvents.ts';
import { SubscriptionEvent } from '@opentill/contract/operator-resources.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import {
  listSubscriptionEvents as readPage,
  SubscriptionEventPosition,
  type SubscriptionEventRow,
} from '../../store/events/subscription-events.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { EventScope } from '../events/public-event.ts';
import type { Uses } from '../handler-options.ts';
import { listHandler } from '../list-handler.ts';
import { noSuchSubscription } from '../missing.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { Refusal } from '../refusal.ts';
import { shown } from '../shown.ts';
import { eventPeriodsOf } from './period-range.ts';

export function listSubscriptionEvents({ store }: Uses<'store'>): OperatorHandler {
  const { database, environment } = store;
  return listHandler(operation, SubscriptionEventPosition, async ({ path, query }, page) => {
    const queryable = database.scopedTo(path.packageName);
    const subscription = await findSubscription(queryable, path);
    if (subscription === undefined) return noSuchSubscription(path);
    // A month that was paid after the end of the subscription follows its last one.
    const range = eventPeriodsOf(query, subscription.lastPeriodIndex + 1);
    if (range instanceof Refusal) return range;
    const { rows, next } = await readPage(queryable, { ...path, ...range }, page);
    const scope = { environment, packageName: path.packageName };
    return { events: rows.map((row) => eventResponse(row, scope)), next };
  });
}

function eventResponse(row: SubscriptionEventRow, scope: EventScope): SubscriptionEvent {
  const id = eventIdOf({ ...scope, ...row });
  return shown(SubscriptionEvent, { ...row, id, isImported: row.isImported || null });
}
