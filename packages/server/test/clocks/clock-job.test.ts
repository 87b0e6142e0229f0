// The database's time is stored once a minute, and what is wrong with a clock is reported once.

import { beforeEach, expect, test } from 'vitest';
import { freshDatabase, testNow, useForFile } from '../../../../test/support/harness.ts';
import { logInto } from '../../../../test/support/renewals/renewal-stage.ts';
import { removeClockMark } from '../../../../test/support/stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { ClockJob } from '../../src/jobs/clock-job.ts';
import { findClockMark, markLagMs, replaceClockMark } from '../../src/store/clocks/clock-mark.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

const { connection } = await useForFile(freshDatabase());
const database = await useForFile(openDatabase(connection, 2));
const databaseClock = new TestClock(testNow);
await databaseClock.drive({ connection });
beforeEach(async () => {
  await databaseClock.set(testNow);
  await removeClockMark({ connection });
});

/** The job of a server whose clock shows the time of the database plus `aheadMs`. */
function open(environment: 'production' | 'sandbox', { aheadMs = (): number => 0 } = {}) {
  const clock = new StoreClock({ now: () => databaseClock.now() + aheadMs() }, environment);
  const logLines: string[] = [];
  const problems: { held: string | undefined; isOff: boolean }[] = [];
  const job = new ClockJob({
    database,
    clock,
    log: logInto(logLines),
    onCompared: ({ hold, isOff }) => problems.push({ held: hold?.reason, isOff }),
  });
  const runAt = async (now: number) => {
    await databaseClock.set(now);
    await job.runOnce();
    return problems.at(-1)?.held;
  };
  return { clock, runAt, problems, messages: () => logLines.map((line) => JSON.parse(line).msg) };
}

/** The time that was stored last. */
const mark = async () => {
  const found = await findClockMark(database);
  return found === undefined ? undefined : found + markLagMs;
};

test("the job stores the database's time once a minute", async () => {
  const { runAt } = open('production');
  await runAt(testNow);
  expect(await mark()).toBe(testNow);
  await runAt(testNow + minuteMs - 1);
  expect(await mark()).toBe(testNow);
  await runAt(testNow + minuteMs);
  expect(await mark()).toBe(testNow + minuteMs);
});

test('a jump of the database is logged once and leaves the stored time until the clock is back', async () => {
  const { runAt, messages } = open('production');
  await runAt(testNow);
  expect(await runAt(testNow + weekMs)).toBe('ahead');
  expect(await runAt(testNow + 2 * weekMs)).toBe('ahead');
  expect(await mark()).toBe(testNow);
  expect(messages()).toEqual([expect.stringMatching(/^time-driven work is held: .* resume renewals\.$/)]);
  expect(await runAt(testNow + minuteMs)).toBeUndefined();
  expect(await mark()).toBe(testNow + minuteMs);
});

test('while the database is behind the mark, all times are the mark, until it is reached', async () => {
  const { clock, runAt } = open('production');
  await runAt(testNow);
  const marked = testNow - markLagMs;
  expect(await runAt(marked - minuteMs - 1)).toBe('behind');
  expect(await clock.read(database, '')).toMatchObject({ now: marked, realNow: marked });
  expect(await runAt(marked - 1)).toBe('behind');
  expect(await runAt(marked)).toBeUndefined();
});

test('an operator who confirms the time ends the hold, also when the clock went back', async () => {
  const { runAt } = open('production');
  await runAt(testNow);
  for (const now of [testNow + weekMs, testNow - weekMs]) {
    expect(await runAt(now)).toBeDefined();
    await replaceClockMark(database, now);
    expect(await runAt(now)).toBeUndefined();
  }
});

test('a sandbox is never held, and its time follows that of the database back', async () => {
  const { clock, runAt } = open('sandbox');
  await runAt(testNow);
  expect(await runAt(testNow + weekMs)).toBeUndefined();
  expect(await runAt(testNow - weekMs)).toBeUndefined();
  expect((await clock.read(database, '')).now).toBe(testNow - weekMs);
  expect(await mark()).toBeUndefined();
});

test('a server whose clock is over a minute away corrects it, and reports that once', async () => {
  let aheadMs = minuteMs;
  const { clock, runAt, problems, messages } = open('production', { aheadMs: () => aheadMs });
  await runAt(testNow);
  aheadMs = -minuteMs - 1;
  await runAt(testNow);
  await runAt(testNow);
  expect(clock.now()).toBe(testNow);
  expect(problems.map(({ isOff }) => isOff)).toEqual([false, true, true]);
  expect(messages()).toEqual([expect.stringContaining('synchronize the clocks (NTP)')]);
});
