// The shape of a handler of the purchase API and the events API, which serve the app of an access token. The token,
// Content-Type, package and missing values are checked before a handler is called.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { Static, TSchema } from 'typebox';
import type { PackageName } from '../domain/identifiers.ts';
import type { Refusal } from './refusal.ts';

type AppOperation = PurchaseOperation | EventsOperation;

export interface AppCall {
  /** The package of the token's app, which is also that of the path. */
  readonly packageName: PackageName;
  /** The other path values, present and not empty but otherwise unchecked. */
  readonly path: Readonly<Record<string, string>>;
  /** As received in the purchase API, where a repeated parameter is an array; checked against the contract in the events API. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  /** Aborted when the client disconnects; set for an operation that waits. */
  readonly signal?: AbortSignal;
}

/** Not for `getAccessToken`, which has neither a token nor a package in its path. */
export interface AppHandler<Operation extends AppOperation = PurchaseOperation> {
  readonly operation: Operation;
  handle(call: AppCall): Promise<object | Refusal>;
}

type QueryOf<Operation> = Operation extends EventsOperation
  ? Static<Operation['query']>
  : Readonly<Record<string, string | string[] | undefined>>;

interface CallOf<Operation extends AppOperation> extends AppCall {
  readonly path: Readonly<Record<keyof Operation['pathParameters'] & string, string>>;
  readonly query: QueryOf<Operation> & AppCall['query'];
}

/** Gives a handler the path parameters, the query and the response type of its operation. */
export function appHandler<const Operation extends AppOperation & { readonly response: TSchema }>(
  operation: Operation,
  handle: (call: CallOf<Operation>) => Promise<Static<Operation['response']> | Refusal>,
): AppHandler<Operation> {
  return { operation, handle: handle as AppHandler['handle'] };
}

/** Returns what the purchase API would for a call with a valid token. */
export type RespondToPurchaseCall = (
  operationId: string,
  call: AppCall,
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation, which its schema has serialized
) => Promise<{ readonly httpStatus: number; readonly body: any }>;
