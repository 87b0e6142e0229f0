// The shape in which each operation of the events API is declared: for a developer's backend in both
// environments, with the errors of the purchase API. The app is that of the access token.

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
  /** It may wait before it answers, as long as its query says. */
  readonly waits: true;
  /** What this operation answers when it fails, besides `commonFailures`. */
  readonly errors: readonly ErrorName[];
}
