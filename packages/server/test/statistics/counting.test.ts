// What is counted on which day, and what a recount changes.

import { beforeEach, expect, test } from 'vitest';
import { countStep, listUncountedApps } from '../../src/store/statistics/statistic-days.ts';
import { query } from '../embedded/scratch.ts';
import {
  newTestApp,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  useForFile,
  useTestServer,
} from '../harness.ts';
import { openDatabase } from '../store/open-database.ts';
import { countAll } from './counting.ts';
import { storedDays } from './expected-days.ts';

const server = await useTestServer();
const { connection } = server;
const database = await useForFile(openDatabase(connection, 3));
let app: TestApp;
beforeEach(async () => {
  app = await newTestApp(server);
});

const days = () => storedDays({ connection, packageName: app.packageName });

test('a server that read an app before another one counted it writes nothing', async () => {
  await recordTestPurchase(server, app);
  const read = await listUncountedApps(database, 1_000);
  await recordTestPurchase(server, app);
  await countAll(database);
  await query(connection, 'delete from statistic_day');
  for (const uncounted of read) await countStep(database, uncounted, 'UTC');
  expect(await days()).toEqual({});
});

test('what only events record stays counted when they are removed', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'a', productId: 'monthly' });
  await operatorOf(server).cancelSubscription({ packageName: app.packageName, firstPurchaseId: 'a' });
  await countAll(database);
  await query(connection, 'delete from event where package_name = $1', [app.packageName]);
  await recordTestPurchase(server, app, { purchaseId: 'b', productId: 'monthly' });
  await countAll(database);
  expect((await days())['2026-03-15 monthly EUR']).toMatchObject({ sold: 2, cancelled: 1 });
});

test.each([
  ['Asia/Tokyo', Date.UTC(2026, 2, 14, 15, 15), '2026-03-15'],
  ['+09:00', Date.UTC(2026, 2, 14, 15, 15), '2026-03-15'],
  ['-03:30', Date.UTC(2026, 2, 14, 15, 15), '2026-03-14'],
  // Midnight comes twice: 0:30 of 2 November in summer time, after which 2 November begins again.
  ['America/Havana', Date.UTC(2025, 10, 2, 4, 30), '2025-11-02'],
])('a day begins at the first midnight in %s', async (timeZone, purchaseTime, day) => {
  await recordTestPurchase(server, app, { purchaseTime });
  await countAll(database, timeZone);
  expect(Object.keys(await days())).toEqual([`${day} coins EUR`]);
});
