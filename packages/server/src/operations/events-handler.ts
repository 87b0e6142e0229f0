// The shape of a handler of the events API. The app comes from the token, and the query has been checked against the
// contract.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { Static, TSchema } from 'typebox';
import type { PackageName } from '../domain/identifiers.ts';
import type { Refusal } from './refusal.ts';

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
