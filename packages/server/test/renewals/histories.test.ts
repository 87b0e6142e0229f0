// Whatever happens to subscriptions, in whatever order: chains without a gap by the calendar of the first start, no
// charge without a month and no month without a charge, details that agree, and one event for each change.

import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, test } from 'vitest';
import { useForFile } from '../harness.ts';
import { HistoryRun } from './renewal-history.ts';
import { startRenewalStage } from './renewal-stage.ts';
import { histories } from './renewal-steps.ts';

/** Histories that are drawn: HISTORIES=1000 draws more. */
const numRuns = Number(process.env['HISTORIES'] ?? 6);

/** Of one history on a busy machine, ms. */
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
