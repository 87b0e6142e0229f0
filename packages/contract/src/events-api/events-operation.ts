// The declaration of an operation of the events API, which serves the app of the access token in both environments
// and has the errors of the purchase API.

import type { TObject, TSchema } from 'typebox';
import type { ErrorName } from '../errors.ts';

export interface EventsOperation {
  readonly operationId: string;
  readonly method: 'GET';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly pathParameters: Readonly<Record<string, never>>;
  readonly query: TObject;
  readonly response: TSchema;
  /** The response may be delayed up to the wait in the query. */
  readonly isLongPoll: true;
  /** Errors of this operation in addition to `protocolErrors` and `commonErrors`. */
  readonly errors: readonly ErrorName[];
}
