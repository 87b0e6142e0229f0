// Events and logged calls older than the retention time are removed, and nothing else, by any number of servers and
// whatever the app's clock says.

import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import {
  removeClockMark,
  setClockMark,
  setWrittenAt as setWrittenAtOf,
  writeEvents,
} from '../../../../test/support/stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { CleaningJob } from '../../src/jobs/cleaning-job.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { withFreshToken } from '../subscriptions/staged-subscription.ts';
import { eventPage } from './feed-calls.ts';

const dayMs = 86_400_000;
const retentionDays = 30;

/** Events that were written at testNow are retained up to this instant, and removed 1 ms later. */
const retainedUntil = testNow + retentionDays * dayMs;

const server = await useTestServer();
let app: TestApp;
beforeEach(async () => {
  await server.clock.set(testNow);
  await removeClockMark(server);
  app = await newTestApp(server);
});

/** Runs the job of one more server once at a time of the database; `ownClock` is that of its process. */
async function cleanAt(
  now: number,
  { ownClock = server.clock, waitsForMonths = false }: { ownClock?: Clock; waitsForMonths?: boolean } = {},
): Promise<void> {
  await server.clock.set(now);
  await using database = openDatabase(server.connection, 4);
  const clock = new StoreClock(ownClock, 'production');
  await clock.readMark(database);
  const log = pino({ level: 'silent' });
  await using job = new CleaningJob({ database, clock, log, retentionDays, waitsForMonths });
  await job.runOnce();
}

const keptOrders = async () => {
  const rows = await query(
    server.connection,
    `select event_order from event where package_name = '${app.packageName}' order by event_order`,
  );
  return rows.map((row) => Number(row['event_order']));
};

const setWrittenAt = (writtenAt: number, fromOrder = 1) =>
  setWrittenAtOf(server, app, { writtenAt, fromOrder });

describe('retention of events', () => {
  test('an event is retained for the retention time in real time and then removed', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await recordTestPurchase(server, app, { purchaseId: 'P-2' });
    await setWrittenAt(testNow);
    await setWrittenAt(testNow + dayMs, 2);
    await cleanAt(retainedUntil);
    expect(await keptOrders()).toEqual([1, 2]);
    await cleanAt(retainedUntil + 1);
    expect(await keptOrders()).toEqual([2]);
    await cleanAt(retainedUntil + dayMs + 1);
    expect(await keptOrders()).toEqual([]);
    // The purchases stay, and so does the order.
    app = await withFreshToken(server, app);
    const path = `/details/P-1/${app.packageName}`;
    expect((await callPurchaseApi(server, { token: app.token, path })).status).toBe(200);
    expect((await eventPage(server, app)).cursor).toBe('2');
  });

  test('an event is retained while an older one of its app is, so that the feed has no gap', async () => {
    await writeEvents(server, app, 3);
    await setWrittenAt(testNow);
    await setWrittenAt(testNow + dayMs, 2);
    await setWrittenAt(testNow, 3);
    await cleanAt(retainedUntil + 1);
    expect(await keptOrders()).toEqual([2, 3]);
    await cleanAt(retainedUntil + dayMs + 1);
    expect(await keptOrders()).toEqual([]);
  });

  test('in production, the events of a month stay until it has closed, also after the retention time', async () => {
    await writeEvents(server, app, 2);
    await setWrittenAt(testNow);
    // Half a month after the retention time, in April.
    const later = testNow + 45 * dayMs;
    await cleanAt(later, { waitsForMonths: true });
    expect(await keptOrders()).toEqual([1, 2]);
    await server.clock.set(later);
    await operatorOf(server).listStatements({ packageName: app.packageName });
    await writeEvents(server, app, 1);
    await setWrittenAt(testNow);
    await cleanAt(later, { waitsForMonths: true });
    expect(await keptOrders()).toEqual([3]);
  });
});

describe('retention and wrong clocks', () => {
  test('a server whose clock is 800 days ahead of the database removes nothing', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await setWrittenAt(testNow);
    await cleanAt(testNow, { ownClock: { now: () => testNow + 800 * dayMs } });
    expect(await keptOrders()).toEqual([1]);
  });

  test('a database whose clock is 800 days ahead for a moment loses nothing', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await setWrittenAt(testNow);
    await setClockMark(server, testNow);
    await cleanAt(testNow + 800 * dayMs);
    expect(await keptOrders()).toEqual([1]);
    await setClockMark(server, testNow + 800 * dayMs);
    await cleanAt(testNow + 800 * dayMs);
    expect(await keptOrders()).toEqual([]);
  });
});
