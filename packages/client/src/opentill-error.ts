// The one class of errors: a call that was refused, or not answered.

import type { Problem } from './contract-types.ts';

interface ErrorDetail {
  readonly code?: number | undefined;
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isOutcomeUnknown?: boolean;
  readonly problem?: Problem | undefined;
}

/** A call that failed. It never holds a secret or a token, and neither does its message. */
export class OpenTillError extends Error {
  override readonly name = 'OpenTillError';
  /** The operationId of the call, or the method of the client. */
  readonly operation: string;
  /** The error code (docs/errors.md); undefined when nothing was answered, or not by the server itself. */
  readonly code: number | undefined;
  /** Undefined when nothing was answered. */
  readonly httpStatus: number | undefined;
  /** The x-request-id of the answer: what the store needs to find the call. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait before the next call. */
  readonly retryAfterMs: number | undefined;
  /** Whether the operation may have taken place: its answer, or that of an attempt before, was lost. */
  readonly isOutcomeUnknown: boolean;
  /** What the operator API and the sandbox API say of a refusal (RFC 9457). */
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
