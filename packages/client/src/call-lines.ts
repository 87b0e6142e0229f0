// Types derived from the contract that the operation tables of the clients must match.

import type {
  eventsOperations,
  operatorOperations,
  purchaseOperations,
} from '@opentill/contract/operations.ts';
import type { sandboxOperations } from '@opentill/contract/sandbox-api.ts';

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/** The method and path of each operation. */
type CallLines<Operations extends readonly Operation[]> = {
  readonly [Op in Operations[number] as Op['operationId']]: `${Op['method']} ${Op['path']}`;
};

/** The timeout in ms of each operation that may take minutes or wait for events. */
type LongTimeouts<Operations extends readonly Operation[]> = {
  readonly [Op in Extract<
    Operations[number],
    { readonly takesLong: true } | { readonly waits: true }
  > as Op['operationId']]: number;
};

export type OperatorCallLines = CallLines<typeof operatorOperations>;
export type OperatorTimeouts = LongTimeouts<typeof operatorOperations>;

export type SandboxCallLines = CallLines<typeof sandboxOperations>;
export type SandboxTimeouts = LongTimeouts<typeof sandboxOperations>;
export type PurchaseCallLines = Omit<CallLines<typeof purchaseOperations>, 'getAccessToken'>;
export type EventsCallLines = CallLines<typeof eventsOperations>;
