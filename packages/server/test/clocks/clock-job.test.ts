// The database's time is stored once a minute, and a jump from it is noticed and reported.

import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import type { Environment } from '../../src/domain/identifiers.ts';
import { ClockJob } from '../../src/jobs/clock-job.ts';
import { findClockMark } from '../../src/store/clocks/clock-mark.ts';
import { freshDatabase, testNow, useForFile } from '../harness.ts';
import { removeClockMark } from '../stage.ts';
import { openDatabase } from '../store/open-database.ts';
import { openClockGuard, TestClock } from '../test-clock.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

const { connection } = await useForFile(freshDatabase());
const database = await useForFile(openDatabase(connection, 2));
const clock = new TestClock(testNow);
beforeEach(async () => {
  clock.set(testNow);
  await removeClockMark({ connection });
});

function open(environment: Environment) {
  const clocks = openClockGuard({ database, clock, environment });
  const logLines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => logLines.push(line) });
  const job = new ClockJob({ database, environment, clocks, log, onHold: () => undefined });
  const runAt = async (now: number) => {
    clock.set(now);
    await job.runOnce();
    return (await clocks.recent()).hold?.reason;
  };
  return { clocks, runAt, logLines };
}

const mark = async () => (await findClockMark(database))?.databaseTime;

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
  const { runAt, logLines } = open('production');
  await runAt(testNow);
  expect(await runAt(testNow + weekMs)).toBe('ahead');
  expect(await runAt(testNow + 2 * weekMs)).toBe('ahead');
  expect(await mark()).toBe(testNow);
  expect(logLines.map((line) => JSON.parse(line).msg)).toEqual([
    "clock-driven work is held: The database's time is 2026-03-22T12:00:00.000Z, and it was 2026-03-15T12:00:00.000Z when last stored: check the clock, then resume renewals.",
  ]);
  expect(await runAt(testNow + minuteMs)).toBeUndefined();
  expect(await mark()).toBe(testNow + minuteMs);
});

test('work that is held because the clock went back continues when the stored time has passed', async () => {
  const { runAt } = open('production');
  await runAt(testNow);
  expect(await runAt(testNow - minuteMs - 1)).toBe('behind');
  expect(await runAt(testNow - 1)).toBe('behind');
  expect(await runAt(testNow)).toBeUndefined();
});

test('an operator who confirms the clock ends the hold, also when it went back', async () => {
  const { clocks, runAt } = open('production');
  await runAt(testNow);
  for (const now of [testNow + weekMs, testNow - weekMs]) {
    expect(await runAt(now)).toBeDefined();
    await clocks.confirm();
    expect(await runAt(now)).toBeUndefined();
  }
});

test('a sandbox that was stopped for a week renews at once, and the rest of its work continues after an hour', async () => {
  const { clocks, runAt } = open('sandbox');
  await runAt(testNow);
  const resumed = testNow + weekMs;
  expect(await runAt(resumed)).toBe('ahead');
  expect(await clocks.renewalHold(resumed)).toBeUndefined();
  expect(await runAt(resumed + 60 * minuteMs - 1)).toBe('ahead');
  await runAt(resumed + 60 * minuteMs);
  expect(await runAt(resumed + 60 * minuteMs + 1_000)).toBeUndefined();
});
