// How each operation is called, from the contract. The package and the console contain only the resulting values
// (packaging/client-calls.ts).

import { developerApi } from '@opentill/contract/developer-api.ts';
import { eventsOperations, operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { OperationCall } from './operation-methods.ts';

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly isLongRunning?: true;
  readonly isLongPoll?: true;
  readonly needsClientSecret?: true;
}

/** At least the time limit of the server for calls that change much of an app. */
const longWorkTimeoutMs = 300_000;

/** Longer than the longest wait of the server for an event. */
const eventsTimeoutMs = 40_000;

function callsOf<Declared extends Operation>(
  operations: readonly Declared[],
): Readonly<Record<Declared['operationId'], OperationCall>> {
  const calls = operations.map((operation: Operation) => {
    const { operationId, method, path, isLongRunning, isLongPoll, needsClientSecret } = operation;
    const timeoutMs = isLongRunning ? longWorkTimeoutMs : isLongPoll && eventsTimeoutMs;
    const own = { ...(timeoutMs && { timeoutMs }), ...(needsClientSecret && { needsClientSecret }) };
    return [operationId, { method, path, ...own }];
  });
  return Object.fromEntries(calls);
}

export const operatorCalls = callsOf(operatorOperations);
export const developerCalls = callsOf(Object.values(developerApi));
export const purchaseCalls = callsOf(purchaseOperations);
export const eventsCalls = callsOf(eventsOperations);
