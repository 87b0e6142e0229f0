// The clock skew between a server and its database, which runs on the machine of the tests.

import { expect, test } from 'vitest';
import { checkDatabase } from '../../src/checks/database.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { clockProblem } from '../../src/domain/clocks/clock-hold.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { measureClockDifference } from '../../src/store/connection/clock-difference.ts';
import { Session } from '../../src/store/connection/session.ts';
import { databaseUrlOf } from '../database-url.ts';
import { freshDatabase, useForFile } from '../harness.ts';

/** Longer than a statement takes here. */
const withinMs = 10_000;

const database = await useForFile(freshDatabase());
const session = await useForFile(Session.open(database.connection));

const ahead = (ms: number): Clock => ({ now: () => Date.now() + ms });

test('the difference of two equal clocks is 0 ms', async () => {
  expect((await measureClockDifference(session, ahead(0))).skewMs).toBe(0);
});

test.each([3_600_000, -3_600_000])('a clock that is %i ms ahead is measured as that far away', async (ms) => {
  const { skewMs: difference } = await measureClockDifference(session, ahead(ms));
  expect(difference).toBeLessThanOrEqual(Math.abs(ms));
  expect(difference).toBeGreaterThan(Math.abs(ms) - withinMs);
});

test('a server starts with a clock skew of 60 seconds and refuses to start with a millisecond more', () => {
  expect(clockProblem(60_000)).toBeUndefined();
  expect(clockProblem(60_001)).toMatch(/^The clock of this machine is 61 seconds away .* 60 are allowed/);
});

test.each([
  [0, 'ok', /^agrees with the database$/],
  [30_000, 'warning', /^\d{5} ms away from the clock of the database's machine$/],
  [50_000, 'warning', /^\d{5} ms away from the clock of the database's machine$/],
  [-50_000, 'warning', /^\d{5} ms away from the clock of the database's machine$/],
  [90_000, 'failed', /^The clock of this machine is (?:[678]\d|90) seconds away .* 60 are allowed/],
  [-90_000, 'failed', /^The clock of this machine is (?:[678]\d|90) seconds away .* 60 are allowed/],
])('the check of a clock %i ms ahead results in %s', async (ms, verdict, detail) => {
  const config = readStoreConfig({ DATABASE_URL: databaseUrlOf(database.connection) });
  const results = await checkDatabase(config, ahead(ms));
  expect(results.find(({ name }) => name === 'clock')).toEqual({
    name: 'clock',
    verdict,
    detail: expect.stringMatching(detail),
  });
});
