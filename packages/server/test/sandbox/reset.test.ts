// reset: deletes the data of an app, except its credentials, products and webhook.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { beforeEach, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  callPurchaseApi,
  createTestApp,
  newTestApp,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import { countRows, leaseClock, setAppTime } from '../../../../test/support/stage.ts';
import { obtainToken } from '../tokens/token-call.ts';
import { faultsResponse, loggedRequests, putTestFaults } from './sandbox-stage.ts';

const { getClock, listPurchases, putClock, reset } = developerApi;

let app: TestApp;

const server = await useTestServer();
const other = await createTestApp(server, 'com.example.other');
await fill(other);
beforeEach(async () => {
  app = await newTestApp(server);
});

const resetApp = () => callDeveloper(server, reset, { key: app.token });

/** Creates records of every kind that an app can have. */
async function fill(filled: TestApp): Promise<void> {
  for (const purchaseId of ['P-1', 'P-2'])
    await recordTestPurchase(server, filled, { purchaseId, orderId: purchaseId });
  await voidTestPurchase(server, filled, 'P-2');
  await recordTestPurchase(server, filled, { purchaseId: 'S-1', productId: 'monthly' });
  await callDeveloper(server, putClock, { key: filled.token, body: { mode: 'frozen' } });
  await callPurchaseApi(server, { token: filled.token, path: `/details/P-1/${filled.packageName}` });
  await putTestFaults(server, filled, [{ operation: 'getVoidedPurchases', code: 9101 }]);
}

/** The rows of an app in each table. */
async function rowsOf(app: TestApp): Promise<Record<string, number>> {
  await loggedRequests(server, other, 1);
  const text = `select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'package_name' order by 1`;
  const counted: Record<string, number> = {};
  for (const { name } of await query(server.connection, text))
    counted[name] = await countRows(server, name, app);
  return counted;
}

test('a reset leaves the app with only its credentials, tokens, products and actions', async () => {
  await fill(app);
  expect(await rowsOf(app)).toMatchObject({ purchase: 3, subscription: 1, fault: 1, app_clock: 1 });
  expect((await resetApp()).status).toBe(204);
  const left = Object.entries(await rowsOf(app)).filter(([, rows]) => rows > 0);
  expect(left).toEqual([
    ['access_token', 1],
    ['app', 1],
    ['app_counter', 1],
    ['app_lock', 1],
    ['operator_action', 4],
    ['product', 2],
  ]);
  expect((await callDeveloper(server, listPurchases, { key: app.token })).body.purchases).toEqual([]);
  expect((await callDeveloper(server, getClock, { key: app.token })).body.mode).toBe('running');
  expect(await faultsResponse(server, app)).toEqual([]);
  expect((await obtainToken(server, app)).token).toBe(app.token);
});

test('a reset does not affect other apps', async () => {
  const before = await rowsOf(other);
  await fill(app);
  await resetApp();
  expect(await rowsOf(other)).toEqual(before);
});

test('order counters continue after a reset, and ids and orders can be used again', async () => {
  await fill(app);
  const counters =
    'select event_order, void_order, last_voided_time from app_counter where package_name = $1';
  const [before] = await query(server.connection, counters, [app.packageName]);
  await resetApp();
  const [after] = await query(server.connection, counters, [app.packageName]);
  expect(after).toEqual({ ...before, last_voided_time: '0' });
  await fill(app);
  const events = 'select min(event_order) as first from event where package_name = $1';
  const [{ first }] = await query(server.connection, events, [app.packageName]);
  expect(Number(first)).toBe(Number(before.event_order) + 1);
});

test('a void after a reset has the time of the clock, however far the clock was ahead before', async () => {
  await callDeveloper(server, putClock, { key: app.token, body: { mode: 'frozen' } });
  await setAppTime(server, app, testNow + 400 * 86_400_000);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  expect((await voidTestPurchase(server, app, 'P-1')).voidedTime).toBe(testNow + 400 * 86_400_000);
  await resetApp();
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  expect((await voidTestPurchase(server, app, 'P-1')).voidedTime).toBe(testNow);
});

test('a reset is rejected and changes nothing while an advance holds the lease, and succeeds after it', async () => {
  await fill(app);
  await leaseClock(server, app, { until: testNow + 1, advanceTo: testNow + 1 });
  const before = await rowsOf(app);
  expect((await resetApp()).status).toBe(409);
  expect(await rowsOf(app)).toEqual(before);
  await leaseClock(server, app, { until: testNow, advanceTo: testNow });
  expect((await resetApp()).status).toBe(204);
});
