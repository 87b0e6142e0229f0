import { beforeEach, expect, test } from 'vitest';
import {
  callPurchaseApi,
  freshDatabase,
  newTestApp,
  operate,
  requestToken,
  type TestApp,
  type TestServer,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';

/** The maximum age of a cached app, after which changes by another server apply (docs/architecture.md). */
const rememberedMs = 5_000;

const clock = new TestClock(testNow);
let app: TestApp;

const database = await useForFile(freshDatabase());
const first = await useTestServer({ database, clock });
const second = await useTestServer({ database, clock });

beforeEach(async () => {
  app = await newTestApp(first);
});

async function statusOn(server: TestServer, token: string): Promise<number> {
  return (await callPurchaseApi(server, { token, path: `/voided-purchases/${app.packageName}` })).status;
}

async function tokenOf(server: TestServer, clientSecret = app.clientSecret): Promise<string> {
  const { status, body } = await requestToken(server, { clientId: app.clientId, clientSecret });
  expect(status).toBe(200);
  return body.access_token;
}

async function rotate(server: TestServer, keepPreviousForSeconds: number): Promise<string> {
  const path = `/apps/${app.packageName}/client-secret`;
  const { status, body } = await operate(server, 'POST', path, {
    body: { keepPreviousForSeconds, force: true },
  });
  expect(status).toBe(201);
  return body.clientSecret;
}

async function expel(server: TestServer): Promise<void> {
  expect((await operate(server, 'POST', `/apps/${app.packageName}/expel-tokens`)).status).toBe(204);
}

test('a token and a rotated secret apply on the other server at once, and the old secret and tokens stay valid', async () => {
  expect(await tokenOf(second)).toBe(app.token);
  const newSecret = await rotate(first, 60);
  expect(await tokenOf(second, newSecret)).toBe(app.token);
  expect(await tokenOf(second)).toBe(app.token);
  expect(await statusOn(second, app.token)).toBe(200);
  const newest = await rotate(second, 0);
  const refused = await requestToken(first, { clientId: app.clientId, clientSecret: newSecret });
  expect([refused.status, refused.body.error.code]).toEqual([400, 400]);
  expect(await tokenOf(first, newest)).toBe(app.token);
});

test('an expelled token is rejected by the expelling server at once and by the other within 5 seconds', async () => {
  expect(await statusOn(second, app.token)).toBe(200);
  await expel(first);
  expect(await statusOn(first, app.token)).toBe(401);
  await clock.advance(rememberedMs);
  expect(await statusOn(second, app.token)).toBe(401);
});

test('a token issued after expelling is valid at once on a server that has the old generation cached', async () => {
  // Both servers cache the app with its old generation.
  expect([await statusOn(first, app.token), await statusOn(second, app.token)]).toEqual([200, 200]);
  await expel(first);
  const token = await tokenOf(first);
  expect(token).not.toBe(app.token);
  expect(await statusOn(second, token)).toBe(200);
  expect(await statusOn(second, app.token)).toBe(401);
  expect(await tokenOf(second)).toBe(token);
});

test('a disabled app is rejected by the other server within 5 seconds, and its new token accepted at once when it is enabled', async () => {
  expect(await statusOn(second, app.token)).toBe(200);
  const update = (disabled: boolean) =>
    operate(first, 'PATCH', `/apps/${app.packageName}`, { body: { disabled } });
  await update(true);
  expect(await statusOn(first, app.token)).toBe(401);
  await clock.advance(rememberedMs);
  expect(await statusOn(second, app.token)).toBe(401);
  await update(false);
  expect(await statusOn(second, await tokenOf(first))).toBe(200);
});
