// The guards of calls by cookie: no page of another origin can read or write with the session of an operator.

import { expect, test } from 'vitest';
import { callByPage, sessionCookie } from '../../../../test/support/calls/session-calls.ts';
import {
  adminKey,
  type Call,
  call,
  startTestServer,
  supportKey,
  useTestServer,
} from '../../../../test/support/harness.ts';

const server = await useTestServer();
const cookie = await sessionCookie(server);
const json = { 'content-type': 'application/json' };

const send = (path: string, { headers = {}, ...rest }: Call = {}) =>
  call(`${server.operatorUrl}/operator/v1${path}`, { ...rest, headers: { cookie, ...headers } });

/** What browsers send for calls of other pages; each without and with the header that older browsers lack. */
const foreign: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a page on another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' }],
  ['a page on another port, in an old browser', { origin: 'http://127.0.0.1:3000' }],
  ['a link on another port', { 'sec-fetch-site': 'same-site' }],
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' }],
  ['a page without an origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a link or a bookmark', { 'sec-fetch-site': 'none' }],
  ['an old browser that sends no origin', {}],
];

test.each(foreign)('a call with the cookie by %s gets 403, also a read', async (_, headers) => {
  for (const one of [
    await send('/apps', { headers }),
    await send('/sessions/current', { headers }),
    await send('/sessions/current', { method: 'DELETE', headers: { ...headers, ...json } }),
  ]) {
    expect(one.status).toBe(403);
    expect(one.body.detail).toContain('page of this server');
  }
});

test.each(foreign)('%s cannot sign a browser in', async (_, headers) => {
  const body = JSON.stringify({ key: supportKey });
  const response = await send('/sessions', { method: 'POST', headers: { ...headers, ...json }, body });
  expect(response.status).toBe(403);
  expect(response.headers.get('set-cookie')).toBeNull();
});

test('a console opened by plain HTTP, for which browsers send no Sec-Fetch-Site, gets 403 that names https', async () => {
  await using proxied = await startTestServer({ env: { OPENTILL_TRUSTED_PROXIES: 'loopback' } });
  const headers = { ...json, origin: proxied.operatorUrl, cookie: await sessionCookie(proxied) };
  const body = JSON.stringify({ key: adminKey });
  const url = `${proxied.operatorUrl}/operator/v1`;
  for (const response of [
    await call(`${url}/sessions`, { method: 'POST', headers, body }),
    await call(`${url}/apps`, { headers }),
  ]) {
    expect(response.status).toBe(403);
    expect(response.body.detail).toBe(
      `Open the console by https: sessions of this server need TLS, and this page was opened at ${proxied.operatorUrl}.`,
    );
  }
});

test('a call with the cookie by an old browser is accepted with the own origin', async () => {
  const own = { origin: server.operatorUrl };
  expect((await send('/apps', { headers: own })).status).toBe(200);
});

test.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
  'a call with the cookie and the media type %s, which a form can send, gets 415 unless it reads',
  async (type) => {
    const headers = { 'sec-fetch-site': 'same-origin', ...(type !== undefined && { 'content-type': type }) };
    expect((await send('/apps', { headers })).status).toBe(200);
    for (const method of ['POST', 'DELETE']) {
      const path = method === 'POST' ? '/apps/com.example.none/webhook/test' : '/sessions/current';
      expect((await send(path, { method, headers })).status).toBe(415);
    }
  },
);

test('a call with an operator key ignores the cookie and needs none of these headers', async () => {
  const headers = { authorization: `Bearer ${supportKey}`, 'sec-fetch-site': 'cross-site' };
  expect((await send('/apps', { headers })).status).toBe(200);
  const wrong = { authorization: 'Bearer a-wrong-operator-key', 'sec-fetch-site': 'same-origin' };
  expect((await send('/apps', { headers: wrong })).status).toBe(401);
});

test('no response allows pages of other origins to read it', async () => {
  const preflight = await send('/apps', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
  });
  const own = await callByPage(server, '/apps', { headers: { cookie, origin: server.operatorUrl } });
  for (const { headers } of [preflight, own]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});
