// Leases of webhooks: one server at a time delivers, and not for apps that are disabled or whose clock is advancing.

import { beforeEach, expect, test } from 'vitest';
import {
  acquireWebhookLeases,
  listWebhooksWithDue,
  listWebhooksWithNewEvents,
  type WebhookScan,
} from '../../src/store/webhooks/webhook-leases.ts';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../harness.ts';
import { openDatabase } from './open-database.ts';

const leaseUntil = testNow + 15_000;

let app: TestApp;
const apps = 0;

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 2));

beforeEach(async () => {
  app = await newTestApp(server);
  const { status } = await operate(server, 'PUT', `/apps/${app.packageName}/webhook`, {
    body: { url: 'https://example.com/hooks' },
  });
  expect(status).toBe(201);
  const { purchaseId } = await recordTestPurchase(server, app);
  await query(
    server.connection,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, purchase_id, subject,
      state, due_time, schedule_attempts, attempts)
      values ($1, 1, 'evt_1_x', 'purchase.completed', $2, $3, $3, 'waiting', $2, 0, '[]')`,
    [app.packageName, testNow, purchaseId],
  );
});

const take = async (holder: string, realNow: number) => {
  const lease = { holder, realNow, leaseUntil: realNow + 15_000 };
  return (await acquireWebhookLeases(database, [app.packageName], lease)).size;
};

/** Whether the scans for new events and for due deliveries list the app. */
async function isFound(realNow = testNow): Promise<boolean[]> {
  const look: WebhookScan = { isSandbox: true, realNow, except: [], limit: 1_000 };
  const found = [await listWebhooksWithNewEvents(database, look), await listWebhooksWithDue(database, look)];
  return found.map((names) => names.includes(app.packageName));
}

test('a lease is not acquired by another server until it expires', async () => {
  expect(await take('first', testNow)).toBe(1);
  expect(await take('second', testNow)).toBe(0);
  expect(await take('second', leaseUntil - 1)).toBe(0);
  expect(await take('second', leaseUntil)).toBe(1);
  expect(await take('first', leaseUntil)).toBe(0);
});

test('a leased webhook is listed again when the lease expires', async () => {
  expect(await isFound()).toEqual([true, true]);
  await take('first', testNow);
  expect(await isFound()).toEqual([false, false]);
  expect(await isFound(leaseUntil - 1)).toEqual([false, false]);
  expect(await isFound(leaseUntil)).toEqual([true, true]);
});

test('a lease that ends later than it can last plus 60 seconds excludes nobody', async () => {
  const yearMs = 365 * 24 * 60 * 60 * 1000;
  expect(await take('killed', testNow + yearMs)).toBe(1);
  expect(await isFound()).toEqual([true, true]);
  expect(await take('second', testNow)).toBe(1);
});

test('the webhook of a disabled app is not listed', async () => {
  await operate(server, 'PATCH', `/apps/${app.packageName}`, { body: { disabled: true } });
  expect(await isFound()).toEqual([false, false]);
});

test('the webhook of an app whose clock is being advanced is listed when the advance has ended', async () => {
  await query(
    server.connection,
    `insert into app_clock (package_name, mode, real_time, app_time, lease_holder, lease_until)
      values ($1, 'frozen', $2, $2, 'another', $3)`,
    [app.packageName, testNow, leaseUntil],
  );
  expect(await isFound()).toEqual([false, false]);
  expect(await isFound(leaseUntil)).toEqual([true, true]);
});

test('webhooks are listed by the time they were last served, oldest first', async () => {
  const other = await createTestApp(server, `com.example.other${apps}`);
  const body = { url: 'https://example.com/hooks' };
  expect((await operate(server, 'PUT', `/apps/${other.packageName}/webhook`, { body })).status).toBe(201);
  await recordTestPurchase(server, other);
  const names = [app.packageName, other.packageName];
  const serve = (packageName: string, realNow: number) =>
    acquireWebhookLeases(database, [packageName], { holder: 'one', realNow, leaseUntil: realNow });
  const found = async (realNow: number) => {
    const look = { isSandbox: true, realNow, except: [], limit: 1_000 };
    return (await listWebhooksWithNewEvents(database, look)).filter((name) => names.includes(name));
  };
  await serve(other.packageName, testNow + 1);
  await serve(app.packageName, testNow);
  expect(await found(testNow + 2)).toEqual(names);
  await serve(app.packageName, testNow + 2);
  expect(await found(testNow + 3)).toEqual(names.toReversed());
});
