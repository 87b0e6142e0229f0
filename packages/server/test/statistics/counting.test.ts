// What is counted on which day, and what a recount changes.

import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  freshDatabase,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useForFile,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { moreToDo, pollUntil } from '../../src/jobs/job-loop.ts';
import { StatisticsJob } from '../../src/jobs/statistics-job.ts';
import {
  countStep,
  listUncountedApps,
  type UncountedApp,
} from '../../src/store/statistics/statistic-days.ts';
import { storedDays } from './expected-days.ts';

const server = await useTestServer();
const { connection } = server;
const database = await useForFile(openDatabase(connection, 3));
let app: TestApp;
beforeEach(async () => {
  await query(connection, 'update installation set statistics_time_zone = null');
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

test('after a restart with another time zone, days stay those of the first one: a void counts no sale twice', async () => {
  await using store = await freshDatabase();
  await using counting = await openDatabase(store.connection, 1);
  const range = { from: '2026-03-01', to: '2026-03-31' };
  // Past midnight in Seoul.
  const clock = new TestClock(Date.UTC(2026, 2, 14, 20));
  await using first = await startTestServer({ database: store, clock });
  const { packageName } = await createTestApp(first);
  for (const purchaseId of ['a', 'b']) await recordTestPurchase(first, { packageName }, { purchaseId });
  await countAll(counting, 'UTC');
  const before = await operatorOf(first).getStatistics(range);
  expect(before.rows).toMatchObject([{ period: '2026-03-14', sold: 2, soldAmount: 998 }]);
  await first.stop();

  const logLines: string[] = [];
  const env = { OPENTILL_TIME_ZONE: 'Asia/Seoul' };
  await using second = await startTestServer({ database: store, clock, env, logLines });
  const told = logLines.filter((line) => line.includes('statisticsTimeZone')).map((line) => JSON.parse(line));
  expect(told).toMatchObject([{ level: 40, statisticsTimeZone: 'UTC', timeZone: 'Asia/Seoul' }]);
  await voidTestPurchase(second, { packageName }, 'a');
  await recordTestPurchase(second, { packageName }, { purchaseId: 'c', productId: 'monthly' });
  await countAll(counting, 'Asia/Seoul');
  const { timeZone, rows } = await operatorOf(second).getStatistics(range);
  expect(timeZone).toBe('UTC');
  expect(rows).toMatchObject([
    { period: '2026-03-14', sold: 3, soldAmount: 1_497, voided: 1, voidedAmount: 499, started: 1, active: 1 },
  ]);
});

test('two servers with different time zones count their first days at once, in one zone', async () => {
  const purchaseTime = Date.UTC(2026, 2, 14, 20);
  const apps = [app, await newTestApp(server)] as const;
  for (const one of apps) await recordTestPurchase(server, one, { purchaseTime });
  const [first, second] = (await listUncountedApps(database, 1_000)) as [UncountedApp, UncountedApp];
  await Promise.all([countStep(database, first, 'UTC'), countStep(database, second, 'Asia/Seoul')]);
  // The one that lost counted nothing, and counts later.
  await Promise.all([countAll(database, 'UTC'), countAll(database, 'Asia/Seoul')]);
  const text = 'select distinct day::text from statistic_day where package_name = any($1)';
  const names = apps.map(({ packageName }) => packageName);
  const [fixed] = await query(connection, 'select statistics_time_zone as zone from installation');
  const day = { UTC: '2026-03-14', 'Asia/Seoul': '2026-03-15' }[String(fixed.zone)];
  expect(await query(connection, text, [names])).toEqual([{ day }]);
});

test('a question for consent is no cancel, and its withdrawal by the developer is one', async () => {
  const { packageName } = app;
  await recordTestPurchase(server, app, { purchaseId: 'a', productId: 'monthly' });
  const subscription = { packageName, firstPurchaseId: 'a' };
  await operatorOf(server).cancelSubscription({ ...subscription, consent: 'awaited' });
  await countAll(database);
  expect((await days())['2026-03-15 monthly EUR']).not.toHaveProperty('cancelled');
  await operatorOf(server).cancelSubscription(subscription);
  await countAll(database);
  expect((await days())['2026-03-15 monthly EUR']).toMatchObject({ cancelled: 1 });
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

test('the job goes on without waiting for its next poll while an app has more than one step of events', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'a' });
  await countAll(database);
  const { packageName } = app;
  // 20,001 more events: three steps.
  await query(
    connection,
    `with last as (
        update app_counter set event_order = event_order + 20001 where package_name = $1 returning event_order)
      insert into event (package_name, event_order, type, event_time, purchase_id, made_by, request_id)
      select $1, event_order - n, 'purchase.voided', $2, 'a', 'test', 'r' from last, generate_series(0, 20000) n`,
    [packageName, Date.UTC(2026, 2, 15)],
  );
  await using job = new StatisticsJob({ database, log: pino({ level: 'silent' }), timeZone: 'UTC' });
  const outcomes: unknown[] = [];
  const stopping = new AbortController();
  await pollUntil(stopping.signal, {
    everyMs: 3_600_000,
    poll: async () => {
      const outcome = await job.runOnce();
      outcomes.push(outcome);
      if (outcome === undefined) stopping.abort();
      return outcome;
    },
    onFailure: (error) => expect.unreachable(String(error)),
  });
  expect(outcomes).toEqual([moreToDo, moreToDo, undefined]);
});
