// The values of an event in the history of its purchase or subscription.

import { listActions } from '@opentill/contract/operator-api/listActions.ts';
import type { Role } from '@opentill/contract/operator-api/operator-operation.ts';
import { eventIdOf } from '../../domain/events/event-id.ts';
import type { HistoryRow } from '../../store/events/event-histories.ts';
import type { EventScope } from './public-event.ts';

/** All roles that may read why an operator did something. */
const readers: readonly Role[] = listActions.roles;

const withoutReasons = { reasonCode: null, note: null, ticket: null };

/** The reasons that operators gave are for the roles that may read the audit trail. */
export function historyValues<Row extends HistoryRow>(row: Row, scope: EventScope, role: Role | undefined) {
  const { deliveryState, dueTime, attempts, lastAttempt } = row;
  const { httpStatus, failure } = lastAttempt ?? {};
  return {
    ...row,
    ...(role !== undefined && readers.includes(role) ? {} : withoutReasons),
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
