// Opens the store of a server: connects to its database, and brings the schema up to date.

import type { ClientConfig } from 'pg';
import type { Config } from '../config/config.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { DatabaseClock } from '../store/connection/clock-difference.ts';
import { areTablesDistributed } from '../store/connection/cluster.ts';
import { Database } from '../store/connection/database.ts';
import { installationIdBytes } from '../store/connection/installation.ts';
import { numberOfMigration } from '../store/connection/migrate.ts';
import { prepareDatabase } from '../store/connection/prepared-database.ts';
import { createStore, type Store } from '../store/store.ts';

interface StoreParts {
  readonly connection: ClientConfig;
  readonly clock: Clock;
  /** Set by tests; otherwise the database is asked for its time. */
  readonly databaseClock?: DatabaseClock;
  /** Set by tests together with the database's clock. */
  readonly monotonicClock?: Clock;
  /** Whether to refuse to start if the clock and that of the database differ. */
  readonly requiresRightClock?: boolean;
  readonly randomness: Randomness;
  readonly log: Log;
}

/**
 * The store closes with `started`.
 * @throws StartProblem for a problem that the operator has to fix.
 */
export async function openStore(
  { environment, databasePoolSize }: Config,
  { connection, clock, databaseClock, monotonicClock, requiresRightClock, randomness, log }: StoreParts,
  { started, metrics }: { readonly started: AsyncDisposableStack; readonly metrics: Metrics },
): Promise<Store> {
  const onIdleFailure = (error: Error) => log.warn({ err: error }, 'an idle database connection broke');
  await using first = new Database({ connection, poolSize: 1, isDistributed: false, onIdleFailure });
  const { installation, migrations } = await prepareDatabase(first, connection, {
    environment,
    installationId: randomness.bytes(installationIdBytes),
    clock: requiresRightClock ? clock : undefined,
  });
  if (migrations.length > 0) log.info({ migrations }, migrationSummary(migrations));
  const isDistributed = await areTablesDistributed(first);
  const database = started.use(
    new Database({ connection, poolSize: databasePoolSize, isDistributed, onIdleFailure }),
  );
  const store = createStore({
    database,
    environment,
    installationId: installation.installationId,
    clock,
    databaseClock,
    monotonicClock,
    onCallsDropped(count, error) {
      metrics.countUnlogged(count);
      if (error !== undefined)
        log.warn({ err: error, count }, 'calls could not be written to the request log');
    },
  });
  if (store.sandbox !== undefined) started.use(store.sandbox.requestLog);
  return store;
}

/** One line, whether this start created the schema or updated it. */
function migrationSummary(migrations: readonly string[]): string {
  const [first = ''] = migrations;
  if (numberOfMigration(first) === 1) return 'Created the schema';
  return `Applied ${migrations.length} ${migrations.length === 1 ? 'migration' : 'migrations'}`;
}
