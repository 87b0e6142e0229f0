// listStatements and getStatement: what a month contains, when it closes, and that it never changes.

import { beforeEach, expect, test } from 'vitest';
import { csvRowsOf } from '../../../../test/support/csv-rows.ts';
import {
  call,
  freshDatabase,
  newTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  supportKey,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { leaseClock } from '../../../../test/support/stage.ts';
import {
  openSecondConnection,
  type SecondConnection,
  waitedFor,
} from '../../../../test/support/store/second-connection.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { removeUntil } from '../events/feed-calls.ts';

const server = await useTestServer({ env: { OPENTILL_TIME_ZONE: 'Asia/Seoul' } });
const operator = operatorOf(server);
let app: TestApp;
beforeEach(async () => {
  app = await newTestApp(server);
  await freeze(server, app);
});

const listed = async () => (await operator.listStatements({ packageName: app.packageName })).statements;
const read = (name: string) => operator.getStatement({ packageName: app.packageName, name });

const record = (body: Readonly<Record<string, unknown>>) => recordTestPurchase(server, app, body);
const voidOne = (purchaseId: string, body: object = {}) =>
  operate(server, 'POST', `/apps/${app.packageName}/purchases/${purchaseId}/void`, { body });

/** Seoul is 9 hours ahead of UTC. */
const endOfMarch = Date.UTC(2026, 2, 31, 15);

test('a month has each sale, trial, renewal and refund once, by product and currency', async () => {
  await record({ purchaseId: 'P-1', price: 500 });
  await record({ purchaseId: 'P-2', price: 300 });
  await voidOne('P-2', { refundAmount: 100 });
  const trial = { length: 'P1W', price: 0 };
  await record({ purchaseId: 'S-1', productId: 'monthly', firstPeriod: trial });
  await advance(server, app, { to: endOfMarch + 60_001 });
  const statements = await listed();
  const sums = { sales: 2, salesAmount: 800, trials: 1, renewals: 1, renewalsAmount: 499 };
  const total = { currency: 'EUR', ...sums, refunds: 1, refundsAmount: 100, netAmount: 1_199 };
  expect(statements).toEqual([
    {
      ...{
        packageName: app.packageName,
        name: '2026-03',
        timeZone: 'Asia/Seoul',
        firstOrder: 1,
        lastOrder: 5,
      },
      ...{ closedAt: expect.any(Number), isFirst: true, totals: [total] },
    },
  ]);
  const { products } = await read('2026-03');
  expect(products.map(({ productId, netAmount }) => [productId, netAmount])).toEqual([
    ['coins', 700],
    ['monthly', 499],
  ]);
});

test('a month closes a minute after its end, and what is booked later is in the next one, however it is dated', async () => {
  await record({ purchaseId: 'P-1', price: 100 });
  await advance(server, app, { to: endOfMarch + 60_000 });
  expect(await listed()).toEqual([]);
  expect((await read('soFar')).totals).toMatchObject([{ sales: 1, netAmount: 100 }]);
  await expect(read('2026-03')).rejects.toThrow('A month that is not over is read as soFar');
  await advance(server, app, { by: 'PT1M' });
  await record({ purchaseId: 'P-2', price: 10, purchaseTime: testNow });
  await voidOne('P-1');
  const march = await read('2026-03');
  expect(march).toMatchObject({ lastOrder: 1, totals: [{ sales: 1, refunds: 0, netAmount: 100 }] });
  const soFar = {
    name: 'soFar',
    firstOrder: 2,
    lastOrder: 3,
    totals: [{ sales: 1, refunds: 1, netAmount: -90 }],
  };
  expect(await read('soFar')).toMatchObject(soFar);
  expect((await read('soFar')).isFirst).toBeUndefined();
});

test('the first event at or after the end decides, although a later one is dated before it, and a pause catches up', async () => {
  await record({ purchaseId: 'P-1' });
  await advance(server, app, { to: endOfMarch });
  // In April, before March has closed.
  await record({ purchaseId: 'P-2' });
  await record({ purchaseId: 'P-3', purchaseTime: testNow });
  await advance(server, app, { by: 'P3M' });
  await advance(server, app, { by: 'PT2M' });
  const intervals = (await listed()).map(({ name, firstOrder, lastOrder }) => [name, firstOrder, lastOrder]);
  expect(intervals).toEqual([
    ['2026-06', 4, 3],
    ['2026-05', 4, 3],
    ['2026-04', 2, 3],
    ['2026-03', 1, 1],
  ]);
});

test('a statement says in which time zone it closed, also where months close in another one', async () => {
  await record({ purchaseId: 'P-1' });
  await advance(server, app, { to: endOfMarch + 60_001 });
  const [march] = await listed();
  const text = await exported(server.connection, [app.packageName]);
  await using copied = await freshDatabase();
  await imported(copied.connection, text);
  await using copy = await startTestServer({ database: copied, env: { OPENTILL_TIME_ZONE: 'UTC' } });
  await advance(copy, app, { to: Date.UTC(2026, 4, 1, 0, 2) });
  const { statements } = await operatorOf(copy).listStatements({ packageName: app.packageName });
  expect(statements).toEqual([expect.objectContaining({ name: '2026-04', timeZone: 'UTC' }), march]);
});

test('an app without events has a statement of each month', async () => {
  await advance(server, app, { by: 'P1M' });
  expect(await listed()).toMatchObject([{ name: '2026-03', firstOrder: 1, lastOrder: 0, totals: [] }]);
});

test('nothing closes while the clock of the app is being advanced', async () => {
  await advance(server, app, { by: 'P1M' });
  await leaseClock(server, app, { until: testNow + 1_000, advanceTo: testNow });
  expect(await listed()).toEqual([]);
  await query(server.connection, 'update app_clock set lease_until = null, lease_holder = null');
  expect(await listed()).toHaveLength(1);
});

/** Lists the months while another transaction has the app locked, which continues when the months have been added up. */
async function listedDuring(change: (other: SecondConnection) => Promise<unknown>) {
  await using other = await openSecondConnection(server.connection);
  const lock = `insert into app_lock (package_name) values ($1)
    on conflict (package_name) do update set package_name = excluded.package_name`;
  await other.run(lock, [app.packageName]);
  const listing = listed();
  await waitedFor(other, listing);
  await change(other);
  await other.commit();
  return listing;
}

test('a month closes although the first event arrives in the meantime', async () => {
  await advance(server, app, { by: 'P1M' });
  const statements = await listedDuring(() => record({ purchaseId: 'P-1' }));
  expect(statements).toMatchObject([{ name: '2026-03', firstOrder: 1, lastOrder: 0 }]);
});

test('no month closes by a clock that is reset in the meantime', async () => {
  await advance(server, app, { by: 'P1Y' });
  const removal = 'delete from app_clock where package_name = $1';
  expect(await listedDuring((other) => other.run(removal, [app.packageName]))).toEqual([]);
});

test('a reset removes the statements, and the next month begins after it', async () => {
  await record({ purchaseId: 'P-1' });
  await advance(server, app, { by: 'P1M' });
  expect(await listed()).toHaveLength(1);
  await operator.reset({ packageName: app.packageName });
  expect(await listed()).toEqual([]);
  await freeze(server, app);
  await record({ purchaseId: 'P-2' });
  await advance(server, app, { by: 'P1M' });
  expect(await listed()).toMatchObject([
    { firstOrder: 2, lastOrder: 2, isFirst: true, totals: [{ sales: 1 }] },
  ]);
});

test('a month whose events are gone closes as incomplete, without totals, and the next one is complete', async () => {
  await record({ purchaseId: 'P-1' });
  await record({ purchaseId: 'P-2' });
  await removeUntil(server, app, 1);
  await advance(server, app, { by: 'P1M' });
  await record({ purchaseId: 'P-3' });
  await advance(server, app, { by: 'P1M' });
  const [april, march] = await listed();
  expect(march).toMatchObject({ firstOrder: 1, lastOrder: 2, isIncomplete: true, totals: [] });
  expect(april).toMatchObject({ firstOrder: 3, lastOrder: 3, totals: [{ sales: 1 }] });
  expect(april?.isIncomplete).toBeUndefined();
});

test('the file has a line for each sale and refund, for developers too, until events are removed', async () => {
  await record({ purchaseId: 'P-1', orderId: 'order-1', price: 500, consumed: true, buyerId: 'ann' });
  await advance(server, app, { by: 'PT1S' });
  await voidOne('P-1', { refundAmount: 200 });
  await advance(server, app, { by: 'P1M' });
  await listed();
  const fileOf = (url: string, key: string) =>
    call(url, { headers: { accept: 'text/csv', authorization: `Bearer ${key}` } });
  const forOperator = () =>
    fileOf(`${server.operatorUrl}/operator/v1/apps/${app.packageName}/statements/2026-03`, supportKey);
  const forDeveloper = () => fileOf(`${server.publicUrl}/developer/v1/statements/2026-03`, app.token);
  const ofOperator = await forOperator();
  const ofDeveloper = await forDeveloper();
  expect(csvRowsOf(ofOperator.text).map((line) => line.join(' '))).toEqual([
    'purchaseTime bookedTime eventOrder purchaseId orderId productId kind amount currency',
    '2026-03-15T21:00:00.000+09:00 2026-03-15T21:00:00.000+09:00 1 P-1 order-1 coins sale 5.00 EUR',
    '2026-03-15T21:00:00.000+09:00 2026-03-15T21:00:01.000+09:00 3 P-1 order-1 coins refund -2.00 EUR',
  ]);
  expect(ofDeveloper.text).toBe(ofOperator.text);
  await removeUntil(server, app, 1);
  expect((await forOperator()).status).toBe(410);
  expect((await forDeveloper()).status).toBe(410);
  expect((await read('2026-03')).totals).toMatchObject([{ salesAmount: 500, refundsAmount: 200 }]);
});
