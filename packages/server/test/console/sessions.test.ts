// Sessions of the console: how they begin, what they allow, and when they end; and when the welcome prints a link that signs in.

import { expect, test } from 'vitest';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { callByPage, cookieOf, sessionCookie, signIn } from '../../../../test/support/calls/session-calls.ts';
import {
  adminKey,
  newTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { readConfig } from '../../src/config/config.ts';
import { printsConsoleLink } from '../../src/program/console.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const server = await useTestServer();
/** The code of a new link. */
const newCode = async () =>
  (await operatorOf(server).createConsoleLink({ role: 'support' })).path.replace('/console/sign-in#', '');
const statusWith = async (cookie: string, on = server) =>
  (await callByPage(on, '/sessions/current', { headers: { cookie } })).status;

/** Texts that a lenient decoder reads as the same bytes; the last character of 43 has two spare bits. */
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const respelled = (text: string) => [
  ...['=', '!', ' ', '\n', '.'].map((added) => text + added),
  text.slice(0, -1) + base64url[base64url.indexOf(text.at(-1) ?? '') ^ 1],
];

test('an operator key signs in: the session acts as its key, with its role, and is in the audit trail', async () => {
  const response = await signIn(server, { key: supportKey });
  expect(response.status).toBe(201);
  const who = { madeBy: 'operator:helpdesk', role: 'support' };
  expect(response.body).toMatchObject({ ...who, endsAt: testNow + 8 * hourMs, environment: 'sandbox' });
  expect(response.body.mayCall).toContain('voidPurchase');
  expect(response.body.mayCall).not.toContain('createApp');
  expect(response.text).not.toContain(cookieOf(response).split('=')[1]);
  const headers = { cookie: cookieOf(response) };
  const own = await callByPage(server, '/sessions/current', { headers });
  expect(own.body).toEqual(response.body);
  const app = await newTestApp(server);
  const { purchaseId } = await recordTestPurchase(server, app);
  const path = `/apps/${app.packageName}/purchases/${purchaseId}/void`;
  expect((await callByPage(server, path, { method: 'POST', headers, body: '{}' })).status).toBe(200);
  expect((await callByPage(server, '/apps', { method: 'POST', headers, body: '{}' })).status).toBe(403);
  expect(await listedActions(server, { by: who.madeBy })).toMatchObject([
    { operationId: 'voidPurchase', subject: purchaseId },
    { operationId: 'createSession', detail: { role: 'support', signedInBy: 'key' } },
  ]);
});

test('the cookie is strict, hidden from scripts, and named after environment and installation', async () => {
  const response = await signIn(server, { key: adminKey });
  expect(response.headers.get('set-cookie')).toMatch(
    /^opentill-sandbox-[0-9a-f]{8}=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  await using proxied = await startTestServer({ env: { OPENTILL_TRUSTED_PROXIES: 'loopback' } });
  const secure = await signIn(proxied, { key: adminKey });
  expect(secure.headers.get('set-cookie')).toMatch(
    /^__Host-opentill-sandbox-[0-9a-f]{8}=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

test.each([{ key: 'a-guessed-operator-key' }, { code: 'guessed' }])(
  'signing in with the wrong %j gets 401',
  async (body) => expect((await signIn(server, body)).status).toBe(401),
);

test('a link signs in once, within 10 minutes, as the operator who made it and with the role of the link', async () => {
  const first = await newCode();
  const attempts = await Promise.all([1, 2, 3].map(() => signIn(server, { code: first })));
  expect(attempts.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  const signedIn = attempts.find(({ status }) => status === 201);
  expect(signedIn?.body).toMatchObject({ madeBy: 'operator:admin', role: 'support' });
  for (const code of respelled(first)) expect((await signIn(server, { code })).status).toBe(401);
  const [second, third] = [await newCode(), await newCode()];
  await server.clock.set(testNow + 10 * minuteMs - 1);
  expect((await signIn(server, { code: second })).status).toBe(201);
  await server.clock.set(testNow + 10 * minuteMs);
  expect((await signIn(server, { code: third })).status).toBe(401);
  await server.clock.set(testNow);
});

test('a session cannot make a link', async () => {
  const cookie = await sessionCookie(server, { key: adminKey });
  const call = { method: 'POST', headers: { cookie }, body: '{"role":"admin"}' };
  expect((await callByPage(server, '/console-links', call)).status).toBe(403);
});

test('signing out removes the cookie', async () => {
  const cookie = await sessionCookie(server);
  expect(await statusWith(cookie)).toBe(200);
  const ended = await callByPage(server, '/sessions/current', { method: 'DELETE', headers: { cookie } });
  expect(ended.status).toBe(204);
  expect(cookieOf(ended)).toMatch(/^opentill-sandbox-[0-9a-f]{8}=$/);
});

test('an altered cookie, one of another environment or installation, and a link are no session', async () => {
  const cookie = await sessionCookie(server);
  const [name = '', value = ''] = cookie.split('=');
  const [who = '', role = '', createdAt = '', ...rest] = value.split('.');
  const asAdmin = [Buffer.from('operator:admin').toString('base64url'), role, createdAt, ...rest];
  await using other = await startTestServer();
  await using production = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
  const foreign = [await sessionCookie(other), await sessionCookie(production)];
  for (const forged of [
    asAdmin.join('.'),
    [who, 'admin', createdAt, ...rest].join('.'),
    [who, role, String(Number(createdAt) + 1), ...rest].join('.'),
    value.slice(0, -1),
    ...respelled(value).map(encodeURIComponent),
    who,
    await newCode(),
    ...foreign.map((one) => one.split('=')[1]),
  ]) {
    expect(await statusWith(`${name}=${forged}`)).toBe(401);
  }
  expect(await statusWith(cookie)).toBe(200);
});

test('a session in production ends after 8 hours, or after 30 minutes without a call that renews it', async () => {
  await using production = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
  const idle = await sessionCookie(production);
  let busy = idle;
  for (let minutes = 20; minutes < 8 * 60; minutes += 20) {
    await production.clock.set(testNow + minutes * minuteMs);
    const response = await callByPage(production, '/sessions/current', { headers: { cookie: busy } });
    expect(response.status).toBe(200);
    busy = cookieOf(response);
    expect(response.headers.get('set-cookie')).toContain(`Max-Age=${(8 * 60 - minutes) * 60};`);
  }
  await production.clock.set(testNow + 8 * hourMs - 1);
  expect(await statusWith(busy, production)).toBe(200);
  await production.clock.set(testNow + 8 * hourMs);
  expect(await statusWith(busy, production)).toBe(401);
  await production.clock.set(testNow + 30 * minuteMs);
  expect(await statusWith(idle, production)).toBe(401);
  const links = await operate(production, 'POST', '/console-links', { body: { role: 'admin' } });
  expect(links.status).toBe(404);
});

test('a session in the sandbox ends after 8 hours, with calls or without', async () => {
  await using sandbox = await startTestServer();
  const cookie = await sessionCookie(sandbox);
  await sandbox.clock.set(testNow + 8 * hourMs - 1);
  expect(await statusWith(cookie, sandbox)).toBe(200);
  await sandbox.clock.set(testNow + 8 * hourMs);
  expect(await statusWith(cookie, sandbox)).toBe(401);
});

test('sessions survive a restart and end with their operator key', async () => {
  await using first = await startTestServer();
  const cookie = await sessionCookie(first);
  const database = { connection: first.connection };
  await using restarted = await startTestServer({ database });
  expect(await statusWith(cookie, restarted)).toBe(200);
  for (const keys of [
    'helpdesk:support:another-support-key-0123456789-abc',
    `renamed:support:${supportKey}`,
  ]) {
    await using rotated = await startTestServer({ database, env: { OPENTILL_OPERATOR_KEYS: keys } });
    expect(await statusWith(cookie, rotated)).toBe(401);
  }
});

test.each([
  [{ OPENTILL_OPERATOR_HOST: '::1' }, true],
  [{ OPENTILL_ENVIRONMENT: 'production' }, false],
  [{ OPENTILL_OPERATOR_HOST: '0.0.0.0', OPENTILL_TLS_CERT: 'cert', OPENTILL_TLS_KEY: 'key' }, false],
  // Others can open it through the proxy.
  [{ OPENTILL_TRUSTED_PROXIES: 'loopback' }, false],
])('only a sandbox whose operator listener is on loopback prints a link: %j %s', (env, prints) => {
  expect(printsConsoleLink(readConfig(env, { wantsDemo: true }), adminKey)).toBe(prints);
});
