// Answers of the public listener that say no: one shape for every status of 400 and above (the specification,
// "Errors"; docs/decisions/errors-and-status-codes.md).

import { type FailureName, failures } from '@opentill/contract/failures.ts';
import type { FastifyReply } from 'fastify';
import type { WrittenRefusal } from './socket-failures.ts';

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

/** A failure of which there is no request to reply to. */
export function writtenFailure(failure: FailureName): WrittenRefusal {
  const headers = { 'content-type': jsonContentType, ...failureHeaders(failure) };
  return { status: failures[failure].httpStatus, headers, body: failureBody(failure) };
}

export function sendFailure(reply: FastifyReply, failure: FailureName, message?: string): FastifyReply {
  return send(reply, failure, failureHeaders(failure), failureBody(failure, message));
}

/** As `tooManyRequests`, to a caller of whom it is known when the next call can pass. */
export function sendTooManyRequests(reply: FastifyReply, waitMs: number): FastifyReply {
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
  return send(reply, 'tooManyRequests', headers, failureBody('tooManyRequests'));
}

function send(
  reply: FastifyReply,
  failure: FailureName,
  headers: Record<string, string>,
  body: string,
): FastifyReply {
  const { code, httpStatus } = failures[failure];
  reply.request.call.outcome = String(code);
  return reply.code(httpStatus).headers(headers).header('content-type', jsonContentType).send(body);
}
