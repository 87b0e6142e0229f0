// The values of an event in the history of its purchase or subscription.

import { eventIdOf } from '../../domain/events/event-id.ts';
import type { HistoryRow } from '../../store/events/event-histories.ts';
import type { EventScope } from './public-event.ts';

export function historyValues<Row extends HistoryRow>(row: Row, scope: EventScope) {
  const { deliveryState, dueTime, attempts, lastAttempt } = row;
  const { httpStatus, failure } = lastAttempt ?? {};
  return {
    ...row,
    id: eventIdOf({ ...row, ...scope }),
    isImported: row.isImported || null,
    delivery: deliveryState && {
      state: deliveryState,
      attempts: attempts ?? 0,
      ...(dueTime !== null && { dueTime }),
      ...(httpStatus !== undefined && { httpStatus }),
      ...(failure !== undefined && { failure }),
    },
  };
}
