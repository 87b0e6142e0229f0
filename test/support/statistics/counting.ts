// Counts statistics in tests.

import type { Database } from '../../../packages/server/src/store/connection/database.ts';
import {
  countStep,
  listUncountedApps,
} from '../../../packages/server/src/store/statistics/statistic-days.ts';

/** More rounds than any test needs. */
const roundsMax = 200;

/** Counts everything. */
export async function countAll(
  database: Pick<Database, 'rows' | 'transaction' | 'storeWide'>,
  timeZone = 'UTC',
): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const apps = await listUncountedApps(database.storeWide, 1_000);
    if (apps.length === 0) return;
    for (const app of apps) await countStep(database, app, timeZone);
  }
  throw new Error(`Something is not counted after ${roundsMax} rounds.`);
}
