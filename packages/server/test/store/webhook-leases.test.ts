// Leases of webhooks: one server at a time delivers, and not for apps that are disabled or whose clock is advancing.

import { beforeEach, expect, test } from 'vitest';
import {
  acquireWebhookLeases,
  extendWebhookLeases,
  listWebhooksWithWork,
} from '../../src/store/webhooks/webhook-leases.ts';
import { freeze } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
import {
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../harness.ts';
import { leaseClock } from '../stage.ts';
import { openDatabase } from './open-database.ts';

const leaseMs = 15_000;
const leaseUntil = testNow + leaseMs;

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 2));
let app: TestApp;

beforeEach(async () => {
  app = await hookedApp();
});

async function hookedApp(): Promise<TestApp> {
  const created = await newTestApp(server);
  const body = { url: 'https://example.com/hooks' };
  expect((await operate(server, 'PUT', `/apps/${created.packageName}/webhook`, { body })).status).toBe(201);
  await recordTestPurchase(server, created);
  return created;
}

const acquire = async (holder: string, realNow: number, { packageName } = app) =>
  (await acquireWebhookLeases(database, [packageName], { holder, realNow })).length > 0;

async function found(realNow = testNow): Promise<string[]> {
  return listWebhooksWithWork(database, { realNow, limit: 1_000 });
}
const isFound = async (realNow?: number) => (await found(realNow)).includes(app.packageName);

test('a lease is not acquired by another server, nor its webhook listed, until it ends', async () => {
  expect(await isFound()).toBe(true);
  expect(await acquire('first', testNow)).toBe(true);
  for (const realNow of [testNow, leaseUntil - 1]) {
    expect([await isFound(realNow), await acquire('second', realNow)]).toEqual([false, false]);
  }
  expect([await isFound(leaseUntil), await acquire('second', leaseUntil)]).toEqual([true, true]);
});

test('a lease is extended for its holder only', async () => {
  await acquire('first', testNow);
  const extend = (holder: string) =>
    extendWebhookLeases(database, [app.packageName], { holders: [holder], realNow: testNow + 5_000 });
  await extend('second');
  expect(await isFound(leaseUntil)).toBe(true);
  await extend('first');
  expect([await isFound(leaseUntil), await isFound(leaseUntil + 5_000)]).toEqual([false, true]);
});

test('a lease that ends later than it can last plus 60 seconds excludes nobody', async () => {
  const yearMs = 365 * 24 * 60 * 60 * 1000;
  expect(await acquire('killed', testNow + yearMs)).toBe(true);
  expect([await isFound(), await acquire('second', testNow)]).toEqual([true, true]);
});

test('the webhook of a disabled app is not listed', async () => {
  await operate(server, 'PATCH', `/apps/${app.packageName}`, { body: { disabled: true } });
  expect(await isFound()).toBe(false);
});

test('the webhook of an app whose clock is being advanced is listed when the advance has ended', async () => {
  await freeze(server, app);
  await leaseClock(server, app, { until: testNow + 5_000 });
  expect([await isFound(), await isFound(testNow + 5_000)]).toEqual([false, true]);
});

test('a webhook without new events is listed when a delivery is due by the clock of its app', async () => {
  const { packageName } = app;
  await query(server.connection, 'update webhook set cursor_order = 1 where package_name = $1', [
    packageName,
  ]);
  expect(await isFound()).toBe(false);
  await query(
    server.connection,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, state, due_time,
        schedule_attempts, attempts)
      values ($1, 1, 'evt_1_x', 'purchase.completed', $2, 'waiting', $2, 0, '[]')`,
    [packageName, testNow + 1],
  );
  expect([await isFound(testNow), await isFound(testNow + 1)]).toEqual([false, true]);
});

test('webhooks are listed by the time they were last served, oldest first', async () => {
  const other = await hookedApp();
  const names = [app.packageName, other.packageName];
  await acquire('one', testNow + 1, other);
  await acquire('one', testNow);
  const order = async (realNow: number) => (await found(realNow)).filter((name) => names.includes(name));
  expect(await order(leaseUntil + 1)).toEqual(names);
  await acquire('one', leaseUntil + 1);
  expect(await order(2 * leaseMs + testNow + 1)).toEqual(names.toReversed());
});
