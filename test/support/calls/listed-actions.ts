// The audit trail as an operator reads it.

import type { Action } from '@opentill/contract/actions.ts';
import { listActions } from '@opentill/contract/operator-api/listActions.ts';
import { callOperator, type OperationCall } from '../http/checked-call.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

/** A page of actions, newest first. */
export async function listedActions(
  server: ServerAddress,
  query: NonNullable<OperationCall['query']>,
): Promise<Action[]> {
  return (await callOperator(server, listActions, { query: { pageSize: 200, ...query } })).body.actions;
}
