// The declaration of an operation of the purchase API.

import type { TSchema } from 'typebox';
import type { ErrorName } from '../errors.ts';

export interface PurchaseOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST';
  /** The path with `:name` for each path parameter (the specification, "Endpoints"). */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The schema of each path parameter; the operation checks the size, not the router. */
  readonly pathParameters: Readonly<Record<string, TSchema>>;
  readonly query?: TSchema;
  readonly response: TSchema;
  /** The error for a package other than that of the token, so that callers cannot probe for apps. */
  readonly foreignPackageError?: ErrorName;
  /** Errors of this operation in addition to `protocolErrors` and `commonErrors`. */
  readonly errors: readonly ErrorName[];
}

/** The common part of the descriptions of operations with an access token. */
export const needsContentType =
  'Requires the header `Content-Type: application/json`, although there is no body.';
