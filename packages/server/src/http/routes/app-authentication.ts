// The authentication step of all calls with an access token: those of the purchase, events and sandbox APIs.

import type { onRequestAsyncHookHandler } from 'fastify';
import { appAuthor } from '../../operations/purchase-handler.ts';
import type { Authentication } from '../authentication.ts';
import { type ErrorForm, sendUnauthorized } from '../error-response.ts';
import { isTokenEndedEarly, type SandboxCalls } from '../sandbox/sandbox-request.ts';

export interface AppCalls extends SandboxCalls {
  readonly authentication: Authentication;
}

/** Sets the app of the token as the app of the call, or sends 401. */
export function authenticateApp(form: ErrorForm, calls: AppCalls): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const caller = await calls.authentication.check(request.headers.authorization);
    if (caller === undefined) return sendUnauthorized(reply, form);
    request.call.packageName = caller.packageName;
    request.call.madeBy = appAuthor;
    if (await isTokenEndedEarly(request, caller, calls)) return sendUnauthorized(reply, form);
    return undefined;
  };
}
