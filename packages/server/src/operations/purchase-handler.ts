// The shapes of the handlers of the purchase API and the events API. Token, Content-Type, package and missing values are
// checked before a handler is called; of the events API also the query, against the contract.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { Static, TSchema } from 'typebox';
import type { PackageName } from '../domain/identifiers.ts';
import type { Refusal } from './refusal.ts';

export interface PurchaseCall {
  /** The package of the token's app, which is also that of the path. */
  readonly packageName: PackageName;
  /** The other path values, present and not empty but otherwise unchecked. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters as received; a repeated one is an array. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestId: string;
}

/** Not for `getAccessToken`, which has neither a token nor a package in its path. */
export interface PurchaseHandler {
  readonly operation: PurchaseOperation;
  handle(call: PurchaseCall): Promise<object | Refusal>;
}

/** Gives a handler the path parameters and the response type of its operation. */
export function purchaseHandler<const Operation extends PurchaseOperation & { readonly response: TSchema }>(
  operation: Operation,
  handle: (
    call: PurchaseCall & { readonly path: Readonly<Record<keyof Operation['pathParameters'], string>> },
  ) => Promise<Static<Operation['response']> | Refusal>,
): PurchaseHandler {
  return {
    operation,
    handle: handle as (call: PurchaseCall) => Promise<object | Refusal>,
  };
}

interface EventsCall {
  /** The package of the token's app. */
  readonly packageName: PackageName;
  readonly query: Readonly<Record<string, unknown>>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface EventsHandler {
  readonly operation: EventsOperation;
  handle(call: EventsCall): Promise<object | Refusal>;
}

/** Gives a handler the query and response types of its operation. */
export function eventsHandler<const Operation extends EventsOperation & { readonly response: TSchema }>(
  operation: Operation,
  handle: (
    call: EventsCall & { readonly query: Static<Operation['query']> },
  ) => Promise<Static<Operation['response']> | Refusal>,
): EventsHandler {
  return { operation, handle: handle as (call: EventsCall) => Promise<object | Refusal> };
}

/** Returns what the purchase API would for a call with a valid token. */
export type AnswerPurchaseCall = (
  operationId: string,
  call: PurchaseCall,
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation, which its schema has serialized
) => Promise<{ readonly httpStatus: number; readonly body: any }>;
