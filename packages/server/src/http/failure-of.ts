// What was thrown on the way of a call, in the terms of the contract.

import { type FailureName, failures } from '@opentill/contract/failures.ts';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { Log } from '../runtime/log.ts';
import { DatabaseUnavailable } from '../store/database-failure.ts';

export function failureOf(error: FastifyError): FailureName {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  switch (error.statusCode) {
    case failures.bodyTooLarge.httpStatus:
      return 'bodyTooLarge';
    case failures.tooManyRequests.httpStatus:
      return 'tooManyRequests';
    case failures.unavailable.httpStatus:
      return 'unavailable';
    case failures.malformedRequest.httpStatus:
    case 415:
      return 'malformedRequest';
    default:
      return 'internalError';
  }
}

/** Our own side of it: what the caller is not told. */
export function logFailure(log: Log, error: Error, request: FastifyRequest): void {
  const { operationId, packageName: app } = request.call;
  log.error({ err: error, requestId: request.id, operationId, app }, 'a call failed');
}
