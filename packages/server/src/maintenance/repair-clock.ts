// Corrects what a wrong clock wrote (docs/operating.md).

import { type Environ, readStoreConfig } from '../config/config.ts';
import { commandAction } from '../operations/audit/command-action.ts';
import { storeConnectionOf } from '../program/store-access.ts';
import { requirePassed } from '../runtime/check-result.ts';
import { systemClock } from '../runtime/clock.ts';
import { appendAction } from '../store/audit/actions.ts';
import { type ClockRepair, listAppsToRepair, repairApp } from '../store/clocks/clock-repair.ts';
import { type DatabaseClock, databaseClock } from '../store/connection/clock-difference.ts';
import { databaseChecks } from '../store/connection/database-checks.ts';
import { Session } from '../store/connection/session.ts';
import { commandAuthor } from './command-author.ts';

/**
 * Corrects each app in a transaction of its own, with an action of the audit trail, which is rolled back without `apply`.
 * Returns what was ahead.
 * @throws StartProblem, also if the clocks of this machine and of the database still disagree.
 */
export async function repairClock(
  env: Environ,
  { apply, clock = databaseClock }: { readonly apply: boolean; readonly clock?: DatabaseClock },
): Promise<readonly ClockRepair[]> {
  const config = readStoreConfig(env);
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(config, { owner, mayMake: false });
  const { environment } = config;
  requirePassed(await databaseChecks(connection, { environment, clock: systemClock }));
  await using session = await Session.open(connection);
  const repairs: ClockRepair[] = [];
  for (const packageName of await listAppsToRepair(session)) {
    await session.control('begin');
    // Servers keep writing in the meantime, so that each app needs the current time.
    const found = await repairApp(session, { packageName, now: await clock.now(session) });
    repairs.push(...found);
    if (found.length > 0) {
      const detail = found.map(({ what, rows }) => `${what}: ${rows}`).join(', ');
      await appendAction(session, packageName, commandAction('repair-clock', commandAuthor(), detail));
    }
    await session.control(apply ? 'commit' : 'rollback');
  }
  return repairs;
}
