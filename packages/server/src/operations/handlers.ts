// Makes the handlers of all operations in the contract, except getAccessToken, which has a route of its own.

import { operatorOperations, purchaseOperations } from '@opentill/contract/operations.ts';
import type { EventsHandler } from './events-handler.ts';
import * as every from './every-operation.ts';
import type { HandlerOptions, OperatorHandlerOptions, SandboxHandlerOptions } from './handler-options.ts';
import type { OperatorHandler } from './operator-handler.ts';
import type { PurchaseHandler } from './purchase-handler.ts';
import { Refusal } from './refusal.ts';

const skewed = 'The clock of this server is wrong. Try again later, or on another server.';

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

/** A change of money must not get its date from a clock that is known to be wrong. */
function refuseWhileSkewed(
  handler: OperatorHandler,
  { settling: { clocks } }: HandlerOptions,
): OperatorHandler {
  if (handler.operation.needsClock !== true) return handler;
  const handle: OperatorHandler['handle'] = async (call) =>
    clocks.isSkewed ? new Refusal('unavailable', skewed) : handler.handle(call);
  return { ...handler, handle };
}

/** `sandbox` is undefined in production. */
export function operatorHandlers(
  options: OperatorHandlerOptions,
  sandbox: SandboxHandlerOptions | undefined,
): OperatorHandler[] {
  const handlers = operatorOperations.flatMap((operation) => {
    if (!('sandboxOnly' in operation)) return [forOperators[operation.operationId](options)];
    return sandbox === undefined ? [] : [forSandbox[operation.operationId]({ ...options, ...sandbox })];
  });
  return handlers.map((handler) => refuseWhileSkewed(handler, options));
}
