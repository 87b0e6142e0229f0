// The operator API, called with the cookie of the session.

import { OpenTillError, SessionClient } from '@opentill/client/operator';
import { noteServerDate } from '../runtime/clock.ts';
import { origin } from '../runtime/page.ts';
import { fetchNoting } from './connection.ts';

export const client = new SessionClient({
  host: origin,
  allowHttp: true,
  async fetch(url, init) {
    const response = await fetchNoting(url, init);
    noteServerDate(response.headers.get('date'));
    return response;
  },
});

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof OpenTillError && error.httpStatus === status;
}

/** Whether a call got no response. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof OpenTillError && error.httpStatus === undefined && error.problem === undefined;
}

/** Whether the session of a call has ended: a rejected sign-in says nothing about it. */
export function isSessionEnd(error: unknown): boolean {
  return hasStatus(error, 401) && (error as OpenTillError).operation !== 'createSession';
}
