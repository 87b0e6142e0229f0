// Checks the database of the settings without starting a server.

import type { StoreConfig } from '../config/config.ts';
import { isStoreThere, storeConnectionOf } from '../program/store-access.ts';
import { type CheckResult, failed, skipped, warning } from '../runtime/check-result.ts';
import type { Clock } from '../runtime/clock.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { databaseChecks, nodeChecks } from '../store/connection/database-checks.ts';

export async function checkDatabase(config: StoreConfig, clock: Clock): Promise<CheckResult[]> {
  await using owner = new AsyncDisposableStack();
  try {
    if (!(await isStoreThere(config)))
      return [skipped('database', 'the bundled PostgreSQL, created by the first start')];
    const connection = await storeConnectionOf(config, { owner, mayMake: false });
    const { databaseWarning } = config;
    const protection = databaseWarning === undefined ? [] : [warning('database connection', databaseWarning)];
    const results = await databaseChecks(connection, { environment: config.environment, clock });
    return results.some(({ verdict }) => verdict === 'failed')
      ? [...protection, ...results]
      : [...protection, ...results, ...(await nodeChecks(connection))];
  } catch (error) {
    if (error instanceof StartProblem) return [failed('database', error.message)];
    throw error;
  }
}
