// The cookie of a session, and the guards of the calls that it authorizes: a page of another origin must not be able to
// make the browser of an operator call (docs/decisions/console.md).

import type { SerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { secondMs } from '../../domain/time.ts';
import type { OperatorSuccess } from '../../operations/operator-handler.ts';
import { sendError } from '../error-response.ts';
import { isJson } from '../request-body.ts';

export interface SessionCookie {
  readonly name: string;
  /** With TLS, or behind a TLS proxy. */
  readonly isSecure: boolean;
}

const optionsOf = ({ isSecure }: SessionCookie): SerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure: isSecure,
});

export function readSessionCookie({ cookies }: FastifyRequest, { name }: SessionCookie): string | undefined {
  return cookies[name];
}

/** Sets or removes the cookie. */
export function writeSessionCookie(
  reply: FastifyReply,
  { cookie, now }: { readonly cookie: SessionCookie; readonly now: number },
  session: NonNullable<OperatorSuccess['session']>,
): void {
  if (session === 'ended') reply.clearCookie(cookie.name, optionsOf(cookie));
  else {
    // Not an instant, because the clock of the browser may be wrong.
    const maxAge = Math.floor((session.endsAt - now) / secondMs);
    reply.setCookie(cookie.name, session.secret, { ...optionsOf(cookie), maxAge });
  }
}

/**
 * Responds to a call that a page of another origin could have made, and returns whether it did. Pages on other ports are
 * `same-site`, so that even strict cookies come with their calls.
 */
export function rejectForeign(request: FastifyRequest, reply: FastifyReply, cookie: SessionCookie): boolean {
  const { headers, method } = request;
  if (!isOwnPage(request, cookie)) {
    const detail =
      cookie.isSecure && headers.origin === `http://${headers.host}`
        ? `Open the console by https: sessions of this server need TLS, and this page was opened at ${headers.origin}.`
        : 'Expected a call by a page of this server (Sec-Fetch-Site: same-origin, or its Origin), or one with an operator key.';
    sendError(reply, 'operator', 'forbidden', { detail });
    return true;
  }
  if (method === 'GET' || isJson(headers['content-type'])) return false;
  sendError(reply, 'operator', 'unsupportedMediaType', {
    detail: 'Content-Type: expected application/json.',
  });
  return true;
}

function isOwnPage({ headers }: FastifyRequest, { isSecure }: SessionCookie): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === `${isSecure ? 'https' : 'http'}://${headers.host}`;
}
