// The demo of a first start: a year of one app.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient } from '@opentill/client/operator';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { systemClock } from '../../src/runtime/clock.ts';

const { dataFolder } = await useForFile(makeScratch());
const packageName = 'com.example.demo';
const dayMs = 86_400_000;

test('the demo app has a year of sales, renewals and voids behind it, runs by real time, and has no faults', async () => {
  await using server = startOpentill({ env: { OPENTILL_DATA_DIR: dataFolder }, args: ['--demo'] });
  const { operatorUrl } = await server.ready();
  const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  const { now, mode, rate } = await operator.getClock({ packageName });
  expect([mode, rate]).toEqual(['running', 1]);
  expect(Math.abs(systemClock.now() - now)).toBeLessThan(dayMs);
  expect(await operator.getFaults({ packageName })).toEqual({ faults: [] });
  const dayOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const byMonth = { packageName, from: dayOf(now - 365 * dayMs), to: dayOf(now), by: 'month' } as const;
  const counts = ['sold', 'started', 'renewedFirst', 'renewedLater', 'voided', 'lost'] as const;
  const readTotals = async (): Promise<Record<string, number | undefined>> => {
    const { rows } = await operator.getStatistics(byMonth);
    const sums = counts.map((name) => [name, rows.reduce((total, row) => total + row[name], 0)] as const);
    return { ...Object.fromEntries(sums), active: rows.at(-1)?.active };
  };
  await expect.poll(readTotals).toMatchObject({ started: 35, lost: 1, voided: 8, renewedLater: 3 });
  const { sold, active, renewedFirst } = await readTotals();
  expect(sold).toBeGreaterThan(450);
  expect(renewedFirst).toBeGreaterThan(100);
  expect(active).toBeGreaterThan(20);
  const subscription = { packageName, firstPurchaseId: 'SANDBOX-DEMO-CLUB-8' };
  expect((await operator.getSubscription(subscription)).state).toBe('expired');
});
