// Answers of the public listener that say no: one shape for every status of 400 and above (the specification,
// "Errors"; docs/decisions/errors-and-status-codes.md).

import { type FailureName, failures } from '@opentill/contract/failures.ts';
import type { FastifyReply } from 'fastify';

export const jsonContentType = 'application/json;charset=utf-8';

/** When a caller should come again after an overload or an outage, in seconds. */
export const retryAfterSeconds = 1;

/** The bytes of an error answer. */
export function failureBody(failure: FailureName, message?: string): string {
  const { code, message: general } = failures[failure];
  return JSON.stringify({ error: { code, message: message ?? general } });
}

/** Headers that a failure brings along besides its body. */
export function failureHeaders(failure: FailureName): Record<string, string> {
  switch (failure) {
    case 'unauthorized':
      return { 'www-authenticate': 'Bearer' };
    case 'unavailable':
    case 'tooManyRequests':
      return { 'retry-after': String(retryAfterSeconds) };
    case 'bodyTooLarge':
    case 'malformedRequest':
    case 'requestTimeout':
    case 'headerTooLarge':
      return { connection: 'close' };
    default:
      return {};
  }
}

export function sendFailure(reply: FastifyReply, failure: FailureName, message?: string): FastifyReply {
  reply.outcome = String(failures[failure].code);
  return reply
    .code(failures[failure].httpStatus)
    .headers(failureHeaders(failure))
    .header('content-type', jsonContentType)
    .send(failureBody(failure, message));
}
