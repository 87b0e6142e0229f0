// How an app is counted for the first time, and what waits for it.

import { beforeEach, expect, test } from 'vitest';
import { removeAgedEvents } from '../../src/store/events/aged-events.ts';
import { lockCursor } from '../../src/store/statistics/statistic-cursors.ts';
import { newTestApp, recordTestPurchase, type TestApp, useForFile, useTestServer } from '../harness.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import { countRows, insertPurchases } from '../stage.ts';
import { openDatabase } from '../store/open-database.ts';
import { countAll, countRound } from './counting.ts';
import { storedDays } from './expected-days.ts';

const server = await useTestServer();
const { connection } = server;
const database = await useForFile(openDatabase(connection, 3));
let app: TestApp;
beforeEach(async () => {
  app = await newTestApp(server);
});

const today = '2026-03-15 coins EUR';
const days = () => storedDays({ connection, packageName: app.packageName });

/** Removes all events that may be removed, and returns how many are left. */
async function removeEvents(): Promise<number> {
  const { packageName } = app;
  const aged = { before: Number.MAX_SAFE_INTEGER, undeliveredBefore: Number.MAX_SAFE_INTEGER, limit: 1_000 };
  await database.transaction({ packageName, record: 'test' }, (transaction) =>
    removeAgedEvents(transaction, { packageName, ...aged }),
  );
  return countRows(server, 'event', app);
}

test('purchases whose events are gone are counted once, and so are those recorded at the same time', async () => {
  for (const purchaseId of ['a', 'c', 'e', 'g']) await recordTestPurchase(server, app, { purchaseId });
  await voidTestPurchase(server, app, 'g');
  expect(await removeEvents()).toBe(0);
  // The first purchases are counted; later ones are recorded and voided before and behind them.
  await countRound(database, { countedMax: 1, diesAfter: 17 });
  const purchaseIdsCounted = (await days())[today]?.['sold'];
  expect(purchaseIdsCounted).toBeGreaterThan(0);
  expect(purchaseIdsCounted).toBeLessThan(4);
  for (const purchaseId of ['b', 'f']) await recordTestPurchase(server, app, { purchaseId });
  for (const purchaseId of ['a', 'e', 'f']) await voidTestPurchase(server, app, purchaseId);
  await countAll(database, { countedMax: 1 });
  expect((await days())[today]).toEqual({ sold: 6, sold_amount: 2994, voided: 4, voided_amount: 1996 });
});

test('rows without any event are counted', async () => {
  await insertPurchases(server, app, 10);
  await countAll(database, { countedMax: 3 });
  expect(await days()).toEqual({
    [today]: { sold: 8, sold_amount: 8 },
    '2026-03-15 rare EUR': { sold: 2, sold_amount: 2 },
  });
});

test('retention does not remove an event that is not counted yet', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'a' });
  await countAll(database);
  await recordTestPurchase(server, app, { purchaseId: 'b' });
  expect(await removeEvents()).toBe(1);
  await countAll(database);
  expect(await removeEvents()).toBe(0);
  expect((await days())[today]?.['sold']).toBe(2);
});

test('an app that another server counts is skipped', async () => {
  await recordTestPurchase(server, app);
  await countAll(database);
  await recordTestPurchase(server, app);
  await database.transaction({ packageName: app.packageName, record: 'test' }, async (transaction) => {
    await lockCursor(transaction, app.packageName);
    const other = openDatabase(connection, 2);
    await using _ = other;
    await countRound(other);
    expect((await days())[today]?.['sold']).toBe(1);
  });
  await countAll(database);
  expect((await days())[today]?.['sold']).toBe(2);
});

test.each([
  ['Asia/Tokyo', '2026-03-15'],
  ['+09:00', '2026-03-15'],
  ['-03:30', '2026-03-14'],
])('a day begins at midnight in %s', async (timeZone, day) => {
  await recordTestPurchase(server, app, { purchaseTime: Date.UTC(2026, 2, 14, 15, 15) });
  await countAll(database, { timeZone });
  expect(Object.keys(await days())).toEqual([`${day} coins EUR`]);
});
