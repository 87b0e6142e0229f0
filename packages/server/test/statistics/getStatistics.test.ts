// getStatistics: counts and sums by period and currency, of all apps or one.

import { getStatistics } from '@opentill/contract/operator-api/getStatistics.ts';
import { partialNote } from '@opentill/contract/partial-statistics.ts';
import type { Statistics } from '@opentill/contract/statistics.ts';
import { expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  freshDatabase,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  supportKey,
  testNow,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { setWrittenAt } from '../../../../test/support/stage.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { dayMs } from '../../src/domain/time.ts';

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 3));
const game = await createTestApp(server, 'com.example.game');
const shop = await createTestApp(server, 'com.example.shop');

// Sales on Sunday 15 March, Monday 16 March and 1 April 2026.
for (const days of [0, 1, 17]) {
  await server.clock.set(testNow + days * dayMs);
  await recordTestPurchase(server, game, { purchaseId: `coins-${days}` });
}
await voidTestPurchase(server, game, 'coins-0');
await operatorOf(server).putProduct({
  ...{ packageName: shop.packageName, productId: 'gems', type: 'oneTime', price: 100, currency: 'USD' },
});
await recordTestPurchase(server, shop, { productId: 'gems' });
await recordTestPurchase(server, shop, { productId: 'coins' });
await countAll(database);

async function statistics(query: Readonly<Record<string, string>>): Promise<Statistics> {
  const { status, body } = await callOperator(server, getStatistics, { query, key: supportKey });
  expect(status).toBe(200);
  return body;
}

const range = { from: '2026-03-01', to: '2026-04-30' };

/** The counts of sales and voids of each row. */
const sales = ({ rows }: Statistics) =>
  rows.map(({ period, currency, sold, soldAmount, voided, voidedAmount }) => [
    ...[period, currency, sold, soldAmount, voided, voidedAmount],
  ]);

test('a row has the counts and sums of a day in one currency, and a void counts on its own day', async () => {
  expect(sales(await statistics(range))).toEqual([
    ['2026-03-15', 'EUR', 1, 499, 0, 0],
    ['2026-03-16', 'EUR', 1, 499, 0, 0],
    ['2026-04-01', 'EUR', 2, 998, 1, 499],
    ['2026-04-01', 'USD', 1, 100, 0, 0],
  ]);
});

test.each([
  ['week', ['2026-03-09 1', '2026-03-16 1', '2026-03-30 2', '2026-03-30 1']],
  ['month', ['2026-03-01 2', '2026-04-01 2', '2026-04-01 1']],
])('a row covers a %s', async (by, expected) => {
  const { rows } = await statistics({ ...range, by });
  expect(rows.map(({ period, sold }) => `${period} ${sold}`)).toEqual(expected);
});

test('by product and by app, a row covers the whole range, the one with the most sales first', async () => {
  const rowsBy = async (by: string) =>
    (await statistics({ ...range, from: '2026-03-16', by })).rows.map(
      ({ period, packageName, productId, currency, soldAmount, voidedAmount, active }) => [
        ...[period, packageName, productId, currency, soldAmount, voidedAmount, active],
      ],
    );
  const { packageName } = game;
  // The void counts, although its sale was a day before the range.
  expect(await rowsBy('product')).toEqual([
    ['2026-03-16', packageName, 'coins', 'EUR', 998, 499, undefined],
    ['2026-03-16', shop.packageName, 'coins', 'EUR', 499, 0, undefined],
    ['2026-03-16', shop.packageName, 'gems', 'USD', 100, 0, undefined],
  ]);
  expect(await rowsBy('app')).toEqual([
    ['2026-03-16', packageName, undefined, 'EUR', 998, 499, undefined],
    ['2026-03-16', shop.packageName, undefined, 'EUR', 499, 0, undefined],
    ['2026-03-16', shop.packageName, undefined, 'USD', 100, 0, undefined],
  ]);
});

test('a report has what was changed right before it', async () => {
  const { packageName } = await newTestApp(server);
  const soldOf = async (query: object) =>
    (await statistics({ ...range, by: 'app', ...query })).rows.find((row) => row.packageName === packageName)
      ?.sold;
  await recordTestPurchase(server, { packageName });
  expect(await soldOf({})).toBe(1);
  await recordTestPurchase(server, { packageName });
  expect(await soldOf({ packageName })).toBe(2);
});

test('countedUntil is the time of the oldest event that is not counted', async () => {
  const app = await newTestApp(server);
  const countedUntil = async () =>
    (await statistics({ ...range, packageName: app.packageName })).countedUntil;
  expect(await countedUntil()).toBe(server.clock.now());
  for (let count = 0; count < 21; count += 1) await recordTestPurchase(server, app);
  await setWrittenAt(server, app, { writtenAt: testNow - 1, fromOrder: 1 });
  expect(await countedUntil()).toBe(testNow - 1);
  await countAll(database);
  expect(await countedUntil()).toBe(server.clock.now());
});

test('an imported store is counted to its end, and until then numbers say that they are not complete', async () => {
  await using empty = await freshDatabase();
  await imported(empty.connection, await exported(server.connection));
  await using copy = await startTestServer({ database: empty, clock: server.clock });
  await using counting = await openDatabase(empty.connection, 3);
  const response = async () =>
    (await callOperator(copy, getStatistics, { query: range, key: supportKey })).body;
  const firstLine = async () => {
    const headers = { accept: 'text/csv', authorization: `Bearer ${supportKey}` };
    const url = `${copy.operatorUrl}/operator/v1/statistics?${new URLSearchParams(range)}`;
    const text = await (await fetch(url, { headers })).text();
    return text.replace('\ufeff', '').split('\r\n')[0];
  };
  expect(await firstLine()).toBe(partialNote);
  await countAll(counting);
  expect((await response()).countedUntil).toBe(server.clock.now());
  expect(await firstLine()).toMatch(/^period,/);
});

test('a call for days that do not exist gets 400', async () => {
  const response = await callOperator(server, getStatistics, { query: { ...range, to: '2026-04-31' } });
  expect(response).toMatchObject({ status: 400, body: { errors: [{ path: 'to' }] } });
});
