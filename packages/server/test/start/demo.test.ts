// The demo of a first start: a year of one app, complete after a start that was killed.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient } from '@opentill/client/operator';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { makeScratch } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { startOpentill } from './opentill-process.ts';

const { dataFolder } = await useForFile(makeScratch());
const packageName = 'com.example.demo';
const dayMs = 86_400_000;

const startDemo = () => startOpentill({ env: { OPENTILL_DATA_DIR: dataFolder }, args: ['--demo'] });

/** What the demo leaves, without ids that are drawn. */
async function readStory(operatorUrl: string) {
  const operatorKey = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim();
  const operator = new OperatorClient({ host: operatorUrl, operatorKey });
  const { now, mode, rate } = await operator.getClock({ packageName });
  const to = new Date(now).toISOString().slice(0, 10);
  const from = new Date(now - 365 * dayMs).toISOString().slice(0, 10);
  const readTotals = async () => {
    const { rows } = await operator.getStatistics({ packageName, from, to, by: 'month' });
    const sum = (name: 'sold' | 'started' | 'renewedFirst' | 'renewedLater' | 'voided' | 'lost') =>
      rows.reduce((total, row) => total + row[name], 0);
    return {
      sold: sum('sold'),
      started: sum('started'),
      renewedFirst: sum('renewedFirst'),
      renewedLater: sum('renewedLater'),
      voided: sum('voided'),
      lost: sum('lost'),
      active: rows.at(-1)?.active,
    };
  };
  return { operator, clock: { mode, rate, behind: systemClock.now() - now }, readTotals };
}

test('the demo app has a year of sales, renewals and voids behind it, runs by real time, and has no faults', async () => {
  await using server = startDemo();
  const { operatorUrl } = await server.ready();
  const { operator, clock, readTotals } = await readStory(operatorUrl);
  expect(clock.mode).toBe('running');
  expect(clock.rate).toBe(1);
  expect(Math.abs(clock.behind)).toBeLessThan(dayMs);
  expect(await operator.getFaults({ packageName })).toEqual({ faults: [] });
  await expect.poll(readTotals).toMatchObject({ started: 31, lost: 1, voided: 8, renewedLater: 3 });
  const { sold, active, renewedFirst } = await readTotals();
  expect(sold).toBeGreaterThan(450);
  expect(renewedFirst).toBeGreaterThan(100);
  expect(active).toBeGreaterThan(20);
  const subscription = { packageName, firstPurchaseId: 'SANDBOX-DEMO-CLUB-8' };
  expect((await operator.getSubscription(subscription)).state).toBe('expired');
});
