// The authentication hook of all calls with an access token: those of the purchase, events and sandbox APIs.

import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { appAuthor } from '../../operations/purchase-handler.ts';
import type { Authentication, Caller } from '../authentication.ts';
import { type ErrorForm, sendUnauthorized } from '../error-response.ts';
import { isTokenEndedEarly, type SandboxCalls } from '../sandbox/sandbox-request.ts';

export interface AppCalls extends SandboxCalls {
  readonly authentication: Authentication;
}

/** Sets the app of the token as the app of the call, or sends 401. */
export function authenticateApp(form: ErrorForm, calls: AppCalls): onRequestHookHandler {
  const admit = (
    caller: Caller | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): void => {
    if (caller === undefined) {
      sendUnauthorized(reply, form);
      return;
    }
    request.call.packageName = caller.packageName;
    request.call.madeBy = appAuthor;
    const isEnded = isTokenEndedEarly(request, caller, calls);
    if (isEnded === false) done();
    else isEnded.then((hasEnded) => (hasEnded ? sendUnauthorized(reply, form) : done()), done);
  };
  return (request, reply, done) => {
    const caller = calls.authentication.check(request.headers.authorization);
    if (caller instanceof Promise) caller.then((found) => admit(found, request, reply, done)).catch(done);
    else admit(caller, request, reply, done);
  };
}
