// Makes the handlers of all operations in the contract, except getAccessToken, which has a route of its own.

import { operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import * as every from './every-operation.ts';
import type { HandlerOptions, OperatorHandlerOptions, SandboxHandlerOptions } from './handler-options.ts';
import type { OperatorHandler } from './operator-handler.ts';
import type { EventsHandler, PurchaseHandler } from './purchase-handler.ts';

type PurchaseOperationId = Exclude<(typeof purchaseOperations)[number]['operationId'], 'getAccessToken'>;
type DeclaredOperation = (typeof operatorOperations)[number];
type SandboxOnly = Extract<DeclaredOperation, { readonly sandboxOnly: true }>['operationId'];

const forPurchases: Readonly<Record<PurchaseOperationId, (options: HandlerOptions) => PurchaseHandler>> =
  every;
const forOperators: Readonly<
  Record<
    Exclude<DeclaredOperation['operationId'], SandboxOnly>,
    (options: OperatorHandlerOptions) => OperatorHandler
  >
> = every;
/** Operations that do not exist in production. */
const forSandbox: Readonly<
  Record<SandboxOnly, (options: OperatorHandlerOptions & SandboxHandlerOptions) => OperatorHandler>
> = every;

export function purchaseHandlers(options: HandlerOptions): PurchaseHandler[] {
  return purchaseOperations.flatMap(({ operationId }) =>
    operationId === 'getAccessToken' ? [] : [forPurchases[operationId](options)],
  );
}

export function eventsHandlers(options: HandlerOptions): EventsHandler[] {
  return [every.listEventsForDevelopers(options)];
}

/** `sandbox` is undefined in production. */
export function operatorHandlers(
  options: OperatorHandlerOptions,
  sandbox: SandboxHandlerOptions | undefined,
): OperatorHandler[] {
  return operatorOperations.flatMap((operation) => {
    if (!('sandboxOnly' in operation)) return [forOperators[operation.operationId](options)];
    return sandbox === undefined ? [] : [forSandbox[operation.operationId]({ ...options, ...sandbox })];
  });
}
