// The limits of an advance, with stand-ins for what falls due: a million items are too many to be real.

import { expect, test } from 'vitest';
import { type AdvanceParts, clockAdvancer } from '../../src/operations/sandbox/advance-clock.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { findAppClock } from '../../src/store/sandbox/app-clocks.ts';
import { query } from '../embedded/scratch.ts';
import { freshDatabase, testNow, useForFile } from '../harness.ts';
import { openDatabase } from '../store/open-database.ts';
import { TestClock } from '../test-clock.ts';
import { waitFor } from '../wait-for.ts';

const { connection } = await useForFile(freshDatabase());
const database = await useForFile(openDatabase(connection, 10));

const secondMs = 1_000;
const dayMs = 86_400_000;
const fastRate = 1_000;

/** Gives an app a clock of its own. */
const runFast = (packageName: string) =>
  query(
    connection,
    `insert into app_clock (package_name, mode, rate, real_time, app_time)
      values ('${packageName}', 'running', ${fastRate}, ${testNow}, ${testNow})`,
  );

function advancer(stand: Partial<AdvanceParts>) {
  return clockAdvancer({
    database,
    clock: new TestClock(testNow),
    randomness: secureRandomness,
    timeZone: 'UTC',
    isStopping: () => false,
    paysAtOnce: async () => true,
    listDue: async () => [],
    happen: async ({ items }) => items.length,
    ...stand,
  });
}

const soon = { firstPurchaseId: 'S', dueTime: testNow + 1, expiryTime: testNow + 1 };

test('an advance stops after a million items, and a repeated advance continues with the others', async () => {
  const packageName = 'com.limits.much';
  let left = 1_000_001;
  const listDue: AdvanceParts['listDue'] = async ({ limit }) =>
    Array.from({ length: Math.min(left, limit) }, () => soon);
  const happen: AdvanceParts['happen'] = async ({ items }) => {
    left -= items.length;
    return items.length;
  };
  const advance = advancer({ listDue, happen });
  const to = testNow + dayMs;
  const request = { packageName, to, requestId: 'r' };
  expect(await advance(request)).toEqual({ kind: 'tooMuch', to, now: testNow });
  expect(left).toBe(1);
  expect(await findAppClock(database, packageName)).toMatchObject({ advanceTo: to, leaseUntil: null });
  expect(await advance(request)).toMatchObject({ kind: 'done', now: to });
  expect(await findAppClock(database, packageName)).toMatchObject({ advanceTo: null, appTime: to });
});

test('a million items fit into one advance', async () => {
  let left = 1_000_000;
  const listDue: AdvanceParts['listDue'] = async ({ limit }) =>
    Array.from({ length: Math.min(left, limit) }, () => soon);
  const happen: AdvanceParts['happen'] = async ({ items }) => {
    left -= items.length;
    return items.length;
  };
  const advance = advancer({ listDue, happen });
  const request = { packageName: 'com.limits.most', by: 'P1D', requestId: 'r' };
  expect(await advance(request)).toMatchObject({ kind: 'done' });
});

test('a fast clock stands still during an advance and continues from its end', async () => {
  const packageName = 'com.limits.fast';
  await runFast(packageName);
  const clock = new TestClock(testNow);
  const listDue: AdvanceParts['listDue'] = async () => {
    clock.advance(2 * secondMs);
    return [];
  };
  const to = testNow + secondMs;
  expect(await advancer({ clock, listDue })({ packageName, to, requestId: 'r' })).toMatchObject({ now: to });
  const released = { mode: 'running', appTime: to, realTime: clock.now(), leaseUntil: null };
  expect(await findAppClock(database, packageName)).toMatchObject(released);
});

test('an advance keeps its lease however long one of its steps takes', async () => {
  const packageName = 'com.limits.slow';
  const clock = new TestClock(testNow);
  const leaseUntil = async () => (await findAppClock(database, packageName))?.leaseUntil ?? 0;
  const listDue: AdvanceParts['listDue'] = async () => {
    const before = await leaseUntil();
    clock.advance(4 * secondMs);
    await waitFor(async () => (await leaseUntil()) > before, { deadlineMs: 5_000, what: 'a longer lease' });
    return [];
  };
  const request = { packageName, by: 'P1D', requestId: 'r' };
  expect(await advancer({ clock, listDue })(request)).toMatchObject({ kind: 'done' });
});

test('a clock that ran on after the lease of an advance had ended does not go back', async () => {
  const packageName = 'com.limits.late';
  await runFast(packageName);
  const clock = new TestClock(testNow);
  const listDue: AdvanceParts['listDue'] = async () => {
    clock.set((await findAppClock(database, packageName))?.leaseUntil ?? 0);
    clock.advance(secondMs);
    return [];
  };
  const advance = advancer({ clock, listDue });
  const request = { packageName, to: testNow + secondMs, requestId: 'r' };
  expect(await advance(request)).toMatchObject({ kind: 'done', now: testNow + secondMs * fastRate });
});

test('an advance that lost its lease leaves the clock to the new holder', async () => {
  const packageName = 'com.limits.lost';
  const listDue: AdvanceParts['listDue'] = async () => {
    const sql = `update app_clock set lease_holder = 'another' where package_name = '${packageName}'`;
    await query(connection, sql);
    return [];
  };
  const to = testNow + dayMs;
  const advance = advancer({ listDue });
  expect(await advance({ packageName, to, requestId: 'r' })).toEqual({ kind: 'lost', to, now: testNow });
  expect(await findAppClock(database, packageName)).toMatchObject({
    leaseHolder: 'another',
    appTime: testNow,
    advanceTo: to,
  });
});

test('four apps are advanced concurrently, and the fifth when one of them is done', async () => {
  const ends = new Map<string, () => void>();
  const listDue: AdvanceParts['listDue'] = ({ packageName }) =>
    new Promise((resolve) => ends.set(packageName, () => resolve([])));
  const advance = advancer({ listDue });
  const names = Array.from({ length: 5 }, (_, index) => `com.limits.app${index}`);
  const advances = names.map((packageName) => advance({ packageName, by: 'P1D', requestId: 'r' }));
  await expect.poll(() => ends.size).toBe(4);
  expect(await findAppClock(database, 'com.limits.app4')).toBe(undefined);
  ends.get('com.limits.app2')?.();
  expect(await advances[2]).toMatchObject({ kind: 'done' });
  await expect.poll(() => ends.has('com.limits.app4')).toBe(true);
  for (const end of ends.values()) end();
  expect((await Promise.all(advances)).map(({ kind }) => kind)).toEqual(Array(5).fill('done'));
});

test('an advance polls an item locked elsewhere until it is released', async () => {
  let looks = 0;
  const listDue: AdvanceParts['listDue'] = async () => (looks < 3 ? [soon] : []);
  const happen: AdvanceParts['happen'] = async () => {
    looks += 1;
    return 0;
  };
  const request = { packageName: 'com.limits.held', by: 'P1D', requestId: 'r' };
  expect(await advancer({ listDue, happen })(request)).toMatchObject({ kind: 'done', count: 0 });
  expect(looks).toBe(3);
});

test.each([
  { of: 'what only paid charges bring about, by the month', pays: true, lateDays: 0, batches: [4, 1] },
  { of: 'else by the minute', pays: false, lateDays: 0, batches: [2, 1, 2] },
  { of: 'of months that are paid late by when they began', pays: true, lateDays: 26, batches: [3, 2] },
  { of: 'that are over when they are paid one by one', pays: true, lateDays: 60, batches: [1, 1, 1, 1, 1] },
  { of: 'by the minute, unless they are over', pays: false, lateDays: 60, batches: [1, 1, 1, 1, 1] },
])('an advance forms its batches as expected: $of', async ({ pays, lateDays, batches }) => {
  const dueTimes = [0, 59_999, 60_000, 27 * dayMs - 1, 27 * dayMs].map((late) => testNow + late);
  const left = dueTimes.map((dueTime) => ({
    firstPurchaseId: 'S',
    dueTime,
    expiryTime: dueTime - lateDays * dayMs,
  }));
  const happened: number[] = [];
  const advance = advancer({
    paysAtOnce: async () => pays,
    listDue: async () => [...left],
    happen: async ({ items }) => {
      happened.push(items.length);
      left.splice(0, items.length);
      return items.length;
    },
  });
  await advance({ packageName: `com.limits.batch${pays}.late${lateDays}`, by: 'P1Y', requestId: 'r' });
  expect(happened).toEqual(batches);
});
