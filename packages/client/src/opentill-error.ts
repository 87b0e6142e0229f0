// The error that every failed call throws.

import type { Problem } from './contract-types.ts';

interface ErrorDetail {
  readonly code?: number | undefined;
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isOutcomeUnknown?: boolean;
  readonly problem?: Problem | undefined;
}

/** A failed call (the specification, "Errors"). It never contains a secret or a token. */
export class OpenTillError extends Error {
  override readonly name = 'OpenTillError';
  /** The operationId of the call, or the method of the client. */
  readonly operation: string;
  /** The error code (docs/errors.md); undefined if there was no response or it was not from OpenTill. */
  readonly code: number | undefined;
  /** The HTTP status; undefined if there was no response. */
  readonly httpStatus: number | undefined;
  /** The x-request-id of the response, which identifies the request in the logs of the store. */
  readonly requestId: string | undefined;
  /** Retry-After of the response in ms. */
  readonly retryAfterMs: number | undefined;
  /** Whether the operation may have been executed, because the response to this or an earlier attempt was lost. */
  readonly isOutcomeUnknown: boolean;
  /** The problem details of the operator and developer APIs (RFC 9457). */
  readonly problem: Problem | undefined;

  constructor(operation: string, message: string, detail: ErrorDetail = {}) {
    super(`${operation}: ${message}`);
    this.operation = operation;
    this.code = detail.code;
    this.httpStatus = detail.httpStatus;
    this.requestId = detail.requestId;
    this.retryAfterMs = detail.retryAfterMs;
    this.isOutcomeUnknown = detail.isOutcomeUnknown ?? false;
    this.problem = detail.problem;
  }
}
