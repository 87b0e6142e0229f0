// Sessions of the console: how they begin, what they allow, and when they end.

import { createConsoleLink } from '@opentill/contract/operator-api/createConsoleLink.ts';
import { expect, test } from 'vitest';
import { listedActions } from '../audit/listed-actions.ts';
import {
  adminKey,
  call,
  newTestApp,
  operate,
  recordKey,
  recordTestPurchase,
  startTestServer,
  supportKey,
  testNow,
  useTestServer,
  useTwoTestServers,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { callByPage, cookieOf, sessionCookie, signIn } from './session-calls.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const server = await useTestServer();
const statusWith = async (cookie: string, on = server) =>
  (await callByPage(on, '/sessions/current', { headers: { cookie } })).status;

test('an operator key signs in: the session acts as its key, with its role, and is in the audit trail', async () => {
  const answer = await signIn(server, { key: supportKey });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    madeBy: 'operator:helpdesk',
    role: 'support',
    endsAt: testNow + 30 * dayMs,
    environment: 'sandbox',
    timeZone: 'UTC',
    priceUnit: 'unspecified',
  });
  expect(answer.body.mayCall).toContain('voidPurchase');
  expect(answer.body.mayCall).not.toContain('createApp');
  expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
  const headers = { cookie: cookieOf(answer) };
  const own = await callByPage(server, '/sessions/current', { headers });
  expect(own.body).toEqual(answer.body);
  const app = await newTestApp(server);
  const { purchaseId } = await recordTestPurchase(server, app);
  const path = `/apps/${app.packageName}/purchases/${purchaseId}/void`;
  expect((await callByPage(server, path, { method: 'POST', headers, body: '{}' })).status).toBe(200);
  expect((await callByPage(server, '/apps', { method: 'POST', headers, body: '{}' })).status).toBe(403);
  const by = 'operator:helpdesk';
  expect(await listedActions(server, { by, outcome: 'forbidden' })).toMatchObject([
    { operationId: 'createApp' },
  ]);
  expect(await listedActions(server, { by, subject: purchaseId })).toMatchObject([
    { operationId: 'voidPurchase', outcome: 'success' },
  ]);
  expect(await listedActions(server, { operationId: 'createSession' })).toMatchObject([
    { madeBy: 'operator:helpdesk', detail: 'role support, by key' },
  ]);
});

test('the cookie is strict, hidden from scripts, and named after environment and installation', async () => {
  const answer = await signIn(server, { key: adminKey });
  expect(answer.headers.get('set-cookie')).toMatch(
    /^opentill-sandbox-[0-9a-f]{8}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  await using proxied = await startTestServer({ env: { OPENTILL_BEHIND_TLS_PROXY: 'true' } });
  const secure = await signIn(proxied, { key: adminKey });
  expect(secure.headers.get('set-cookie')).toMatch(
    /^__Host-opentill-sandbox-[0-9a-f]{8}=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

test.each([[{ key: 'a-guessed-operator-key' }], [{ code: 'guessed' }]])(
  'signing in with the wrong %j gets 401',
  async (body) => {
    expect((await signIn(server, body)).status).toBe(401);
  },
);

test('a key of the checkout cannot sign in', async () => {
  const answer = await signIn(server, { key: recordKey });
  expect(answer.status).toBe(403);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test.each([[{}], [{ key: adminKey, code: 'x' }]])('signing in with %j gets 400', async (body) => {
  expect((await signIn(server, body)).status).toBe(400);
});

test('a link signs in once, within 10 minutes, as the operator who made it and with the role of the link', async () => {
  const link = async () =>
    (await callOperator(server, createConsoleLink, { body: { role: 'support' } })).body;
  const codeOf = ({ path }: { path: string }) => path.replace('/console/sign-in#', '');
  const first = await link();
  expect(first.endsAt).toBe(testNow + 10 * minuteMs);
  const attempts = await Promise.all([1, 2, 3].map(() => signIn(server, { code: codeOf(first) })));
  expect(attempts.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  const signedIn = attempts.find(({ status }) => status === 201);
  expect(signedIn?.body).toMatchObject({ madeBy: 'operator:admin', role: 'support' });
  const second = await link();
  server.clock.set(testNow + 10 * minuteMs);
  expect((await signIn(server, { code: codeOf(second) })).status).toBe(401);
  server.clock.set(testNow);
});

test('a session cannot make a link, and signing out voids the unused links of its operator', async () => {
  const cookie = await sessionCookie(server, { key: adminKey });
  const make = await callByPage(server, '/console-links', {
    method: 'POST',
    headers: { cookie },
    body: JSON.stringify({ role: 'admin' }),
  });
  expect([make.status, make.body.detail]).toEqual([403, 'Expected an operator key, got a session.']);
  const { body } = await callOperator(server, createConsoleLink, { body: { role: 'support' } });
  await callByPage(server, '/sessions/current', { method: 'DELETE', headers: { cookie } });
  expect((await signIn(server, { code: body.path.replace('/console/sign-in#', '') })).status).toBe(401);
});

test('signing out removes the cookie and ends the session on every server within 5 seconds', async () => {
  const [here, there] = await useTwoTestServers();
  const cookie = await sessionCookie(here);
  expect(await statusWith(cookie, here)).toBe(200);
  expect(await statusWith(cookie, there)).toBe(200);
  const ended = await callByPage(here, '/sessions/current', { method: 'DELETE', headers: { cookie } });
  expect(ended.status).toBe(204);
  expect(cookieOf(ended)).toMatch(/^opentill-sandbox-[0-9a-f]{8}=$/);
  expect(await statusWith(cookie, here)).toBe(401);
  there.clock.advance(5_000);
  expect(await statusWith(cookie, there)).toBe(401);
});

test('an operator ends sessions of the same key, and only admin those of others', async () => {
  const own = await signIn(server, { key: supportKey });
  const other = await signIn(server, { key: adminKey });
  const end = (id: string, key: string) => operate(server, 'DELETE', `/sessions/${id}`, { key });
  expect((await end(other.body.sessionId, supportKey)).status).toBe(403);
  const refused = { operationId: 'deleteSession', subject: other.body.sessionId, outcome: 'forbidden' };
  expect(await listedActions(server, refused)).toMatchObject([{ madeBy: 'operator:helpdesk' }]);
  expect(await statusWith(cookieOf(other))).toBe(200);
  expect((await end(own.body.sessionId, supportKey)).status).toBe(204);
  expect(await statusWith(cookieOf(own))).toBe(401);
  expect((await end(own.body.sessionId, adminKey)).status).toBe(204);
});

test('an admin lists the open sessions, without their secrets, until they end', async () => {
  await using own = await startTestServer();
  const list = async (headers: Record<string, string>) =>
    (await callByPage(own, '/sessions', { headers })).body.sessions;
  const ofAdmin = await signIn(own, { key: adminKey });
  own.clock.advance(minuteMs);
  const ofSupport = await signIn(own, { key: supportKey });
  const cookie = cookieOf(ofAdmin);
  const { sessionId } = ofSupport.body;
  const [first, second, ...others] = await list({ cookie });
  expect([first, second].toSorted((left, right) => left.createdAt - right.createdAt)).toEqual([
    {
      sessionId: ofAdmin.body.sessionId,
      madeBy: 'operator:admin',
      role: 'admin',
      createdAt: testNow,
      lastSeenAt: testNow + minuteMs,
      endsAt: testNow + 30 * dayMs,
      current: true,
    },
    {
      sessionId,
      madeBy: 'operator:helpdesk',
      role: 'support',
      createdAt: testNow + minuteMs,
      lastSeenAt: testNow + minuteMs,
      endsAt: testNow + minuteMs + 30 * dayMs,
      current: false,
    },
  ]);
  expect(others).toEqual([]);
  await callByPage(own, `/sessions/${sessionId}`, { method: 'DELETE', headers: { cookie } });
  expect(await list({ cookie })).toMatchObject([{ current: true }]);
  own.clock.advance(30 * dayMs);
  expect(await list({ authorization: `Bearer ${adminKey}` })).toEqual([]);
});

test('a session in production ends after 8 hours, or after 30 minutes without a call', async () => {
  await using production = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
  const [busy, idle] = [await sessionCookie(production), await sessionCookie(production)];
  for (let minutes = 20; minutes < 8 * 60; minutes += 20) {
    production.clock.set(testNow + minutes * minuteMs);
    expect(await statusWith(busy, production)).toBe(200);
  }
  production.clock.set(testNow + 8 * hourMs);
  expect(await statusWith(busy, production)).toBe(401);
  production.clock.set(testNow + 30 * minuteMs);
  expect(await statusWith(idle, production)).toBe(401);
  const links = await operate(production, 'POST', '/console-links', { body: { role: 'admin' } });
  expect(links.status).toBe(404);
});

test('sessions survive a restart and end with their operator key', async () => {
  await using first = await startTestServer();
  const cookie = await sessionCookie(first);
  const database = { connection: first.connection };
  await using restarted = await startTestServer({ database });
  expect(await statusWith(cookie, restarted)).toBe(200);
  const OPENTILL_OPERATOR_KEYS = 'helpdesk:support:another-support-key-0123456789-abc';
  await using rotated = await startTestServer({ database, env: { OPENTILL_OPERATOR_KEYS } });
  expect(await statusWith(cookie, rotated)).toBe(401);
});

test('an operator has at most 100 sessions: a new one ends the oldest', async () => {
  await using own = await startTestServer();
  const oldest = await sessionCookie(own);
  for (let count = 1; count < 100; count += 1) {
    own.clock.advance(1);
    await sessionCookie(own);
  }
  own.clock.advance(5_000);
  expect(await statusWith(oldest, own)).toBe(200);
  const newest = await sessionCookie(own);
  own.clock.advance(5_000);
  expect(await statusWith(oldest, own)).toBe(401);
  expect(await statusWith(newest, own)).toBe(200);
});

test('a call with an operator key reads who it is, without a session', async () => {
  const answer = await call(`${server.operatorUrl}/operator/v1/sessions/current`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  expect(answer.body).toMatchObject({ madeBy: 'operator:admin', role: 'admin' });
  expect(answer.body).not.toHaveProperty('sessionId');
});
