// Limits the time of a response. Fastify's handlerTimeout (5.12) would clear its timer as soon as the body of a request
// has been read, and it includes the delay of an injected fault.

import type { FastifyReply, onRequestHookHandler } from 'fastify';
import { limitTime } from '../../runtime/pause.ts';
import { type ErrorForm, type ErrorFormOf, sendError } from '../error-response.ts';

/** A call whose response is not ready within this time, in ms, gets 503. */
export const answerWithinMs = 2_800;

/** The same limit for an operation that takes long, as its contract declares. */
const longAnswerWithinMs = 280_000;

/** The same limit for an operation that waits for up to 30 seconds, in addition to the time of any call. */
const waitedAnswerWithinMs = 32_800;

export function limitResponseTime({ errorForm }: { readonly errorForm: ErrorFormOf }): onRequestHookHandler {
  return (request, reply, done) => {
    startLimit(reply, errorForm(request), answerWithinMs);
    done();
  };
}

/** Sets the limit of an operation that takes long or waits, as its contract declares. */
export function extendResponseTime(
  reply: FastifyReply,
  form: ErrorForm,
  { isLongRunning, isLongPoll }: { readonly isLongRunning?: true; readonly isLongPoll?: true },
): void {
  if (isLongPoll === true) startLimit(reply, form, waitedAnswerWithinMs);
  if (isLongRunning !== true) return;
  startLimit(reply, form, longAnswerWithinMs);
  // The connection is idle in the meantime.
  reply.request.raw.setTimeout(longAnswerWithinMs);
}

/** Sends 503 at the limit. The work continues, and its late result is dropped. */
function startLimit(reply: FastifyReply, form: ErrorForm, limitMs: number): void {
  const { call, raw } = reply.request;
  call.liftTimeLimit?.();
  call.liftTimeLimit = limitTime(limitMs, () => {
    if (reply.sent) return;
    if (raw.complete) sendError(reply, form, 'unavailable');
    // A slow client is not an overload: the time starts again at the end of its request.
    else raw.once('end', () => startLimit(reply, form, limitMs));
  });
}
