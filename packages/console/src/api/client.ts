// The operator API, called with the cookie of the session.

import { OpenTillError, SessionClient } from '@opentill/client/operator';
import { origin } from '../runtime/page.ts';

export const client = new SessionClient({ host: origin, allowHttp: true });

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof OpenTillError && error.httpStatus === status;
}

/** Whether the session of a call has ended: a rejected sign-in says nothing about it. */
export function isSessionEnd(error: unknown): boolean {
  return hasStatus(error, 401) && (error as OpenTillError).operation !== 'createSession';
}
