// Random histories of subscriptions: months follow each other by the calendar without gaps, each has exactly one charge,
// details are consistent, and each change has one event.

import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, test } from 'vitest';
import { useForFile } from '../harness.ts';
import { HistoryRun } from './renewal-history.ts';
import { startRenewalStage } from './renewal-stage.ts';
import { histories } from './renewal-steps.ts';

/** The number of random histories; HISTORIES=1000 runs more. */
const numRuns = Number(process.env['HISTORIES'] ?? 6);

/** The timeout of one history, for a busy machine, in ms. */
const runMs = 5_000;

const stage = await useForFile(startRenewalStage());
const database = new Pool(stage.server.connection);
afterAll(async () => {
  await database.end();
});

test(
  'random histories of subscriptions lose nothing, duplicate nothing, and publish each change once',
  async () => {
    let played = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        played += 1;
        await HistoryRun.play(stage, database, { packageName: `com.history.app${played}`, history });
      }),
      { numRuns, interruptAfterTimeLimit: numRuns * runMs, markInterruptAsFailure: true },
    );
  },
  30_000 + numRuns * runMs,
);
