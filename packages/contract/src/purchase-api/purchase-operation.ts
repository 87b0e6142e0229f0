// The shape in which each operation of the purchase API is declared.

import type { TSchema } from 'typebox';
import type { ErrorName } from '../errors.ts';

export interface PurchaseOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  /** Path with `:name` for each path parameter, the order of the specification, "Endpoints". */
  readonly path: string;
  readonly summary: string;
  /** Description of each path parameter; its size is checked by the operation, not by the router. */
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema;
  readonly response: TSchema;
  /** What a package other than the token's own is answered with, so that nobody can probe for apps. */
  readonly foreignPackageError?: ErrorName;
  /** What this operation answers when it fails, besides `commonFailures`. */
  readonly errors: readonly ErrorName[];
}
