// A failing receiver and servers that are killed, on a small scale (chaos.ts).

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { adminKey, freshDatabase } from '../harness.ts';
import { startOpentill } from '../start/opentill-process.ts';
import { runChaos } from './chaos.ts';

const program = fileURLToPath(new URL('./hooked-server.ts', import.meta.url));

const attemptMs = 400;

test('every event arrives, in order for each purchase, and each duplicate equals the first call', async () => {
  await using database = await freshDatabase();
  const { connection } = database;
  const args = [JSON.stringify({ connection, adminKey, attemptMs })];
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  const report = await runChaos({
    connection,
    appCount: 3,
    purchasesOfApp: 20,
    start: () => startOpentill({ program, args, env }),
    operatorKey: adminKey,
    serverCount: 2,
    kills: 3,
  });
  expect(report).toMatchObject({
    events: 180,
    acknowledged: 180,
    killed: 3,
    altered: 0,
    states: { delivered: 180 },
  });
  expect(report.states).toEqual({ delivered: 180 });
  expect(report.overtaking).toBeLessThanOrEqual(2 * report.died);
  // A third of the calls fail, so there are duplicates to check.
  expect(report.doubles).toBeGreaterThan(30);
});
