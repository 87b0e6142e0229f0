// A failing receiver and servers that are killed, on a small scale (chaos.ts).

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { freshDatabase } from '../harness.ts';
import { startOpentill } from '../start/opentill-process.ts';
import { events, kills, runChaos } from './chaos.ts';

const program = fileURLToPath(new URL('./hooked-server.ts', import.meta.url));

const attemptMs = 400;

test('every event arrives, in order for each purchase, and each duplicate equals the first call', async () => {
  await using database = await freshDatabase();
  const { connection } = database;
  const args = [JSON.stringify({ connection, attemptMs })];
  const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
  const report = await runChaos(connection, () => startOpentill({ program, args, env }));
  expect(report).toMatchObject({ acknowledged: events, killed: kills, altered: 0, overtaking: 0 });
  // A third of the calls fail, so there are duplicates to check.
  expect(report.doubles).toBeGreaterThan(30);
});
