// Random histories of everything that can happen to subscriptions in production.

import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, test } from 'vitest';
import { freshDatabase, useForFile } from '../../../../test/support/harness.ts';
import { startRenewalStage } from '../../../../test/support/renewals/renewal-stage.ts';
import { ChanceHistory } from './chance-history.ts';
import { chances } from './chance-steps.ts';

/** The number of random histories; npm run test:chaos plays more. */
const numRuns = Number(process.env['CHANCE_HISTORIES'] ?? 8);

/** Each run of many plays other histories; a run of few is repeatable as far as the jobs are. */
const seed = Number(process.env['CHANCE_SEED'] ?? (numRuns > 20 ? randomInt(2 ** 31) : 1));

const stage = await useForFile(startRenewalStage());
const { connection: copy } = await useForFile(freshDatabase());
const database = new Pool(stage.server.connection);
afterAll(async () => {
  await database.end();
});

test('in every history each change is published once, no period is paid twice unnoticed, no charge begins too late, at another price than the one agreed before it fell due, while consent is awaited or for a subscriber who has left and not come back, and every state can be exported and imported', async () => {
  process.stdout.write(`CHANCE_SEED=${seed}\n`);
  let played = 0;
  await fc.assert(
    fc.asyncProperty(chances, async (chance) => {
      played += 1;
      await ChanceHistory.play({ ...stage, copy }, database, `com.chance.app${played}`, chance);
    }),
    {
      numRuns,
      seed,
      endOnFailure: numRuns > 20,
    },
  );
});
