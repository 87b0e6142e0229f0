// The shape of a handler of the events API. The token has told the app, and the query has been checked against
// the contract.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { Static, TSchema } from 'typebox';
import type { PackageName } from '../domain/identifiers.ts';
import type { Refusal } from './refusal.ts';

interface EventsCall {
  /** Of the token's own app. */
  readonly packageName: PackageName;
  readonly query: Readonly<Record<string, unknown>>;
  /** The caller has left. */
  readonly signal: AbortSignal;
}

export interface EventsHandler {
  readonly operation: EventsOperation;
  handle(call: EventsCall): Promise<object | Refusal>;
}

/** Ties a handler to its operation: `query` is the operation's, the answer its response. */
export function eventsHandler<const Operation extends EventsOperation & { readonly response: TSchema }>(
  operation: Operation,
  handle: (
    call: EventsCall & { readonly query: Static<Operation['query']> },
  ) => Promise<Static<Operation['response']> | Refusal>,
): EventsHandler {
  return { operation, handle: handle as (call: EventsCall) => Promise<object | Refusal> };
}
