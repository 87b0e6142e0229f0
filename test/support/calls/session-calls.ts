// Calls as the page of the console makes them: with the cookie of a session and what a browser adds.

import { type Call, call, type HttpResponse, supportKey } from '../harness.ts';
import type { ServerAddress } from '../start/opentill-process.ts';

/** What a browser sends with the calls of a page of this server. */
const ownPage = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** `path` follows /operator/v1. */
export function callByPage(
  { operatorUrl }: Pick<ServerAddress, 'operatorUrl'>,
  path: string,
  { method = 'GET', headers = {}, body }: Call = {},
): Promise<HttpResponse> {
  const sent = { ...ownPage, ...headers };
  return call(`${operatorUrl}/operator/v1${path}`, {
    method,
    headers: sent,
    ...(body !== undefined && { body }),
  });
}

export function signIn(server: Pick<ServerAddress, 'operatorUrl'>, body: object): Promise<HttpResponse> {
  return callByPage(server, '/sessions', { method: 'POST', body: JSON.stringify(body) });
}

/** The Cookie header of a new session. */
export async function sessionCookie(
  server: Pick<ServerAddress, 'operatorUrl'>,
  body: object = { key: supportKey },
): Promise<string> {
  const response = await signIn(server, body);
  if (response.status !== 201) throw new Error(response.text);
  return cookieOf(response);
}

export function cookieOf({ headers }: HttpResponse): string {
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  return cookie;
}
