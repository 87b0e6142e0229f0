// The shape in which each operation of the operator API is declared.

import type { TObject, TSchema } from 'typebox';
import type { ErrorName } from '../errors.ts';

/** What an operator key may do: `record` is the checkout, `support` looks up and corrects, `admin` does all. */
export type Role = 'record' | 'support' | 'admin';

export interface OperatorOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `:name` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  /** More than the summary has room for, where there is more to say. */
  readonly description?: string;
  readonly roles: readonly Role[];
  /** In production there is no such path. */
  readonly sandboxOnly?: true;
  /** The sandbox API has this operation, too: sandbox-api.ts derives it. */
  readonly inSandboxApi?: true;
  /** It may take minutes: callers have to wait for it longer than for others. */
  readonly takesLong?: true;
  /** It may wait before it answers, as long as its query says. */
  readonly waits?: true;
  /** A path parameter that breaks its schema names nothing: notFound. */
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** A call without a body then counts as one with `{}`. */
  readonly bodyOptional?: true;
  /** The body of each success; 204 has none, which Type.Null() says. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** What this operation answers when it fails, besides `commonProblems`. */
  readonly errors: readonly ErrorName[];
}
