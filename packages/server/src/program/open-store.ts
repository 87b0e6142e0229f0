// Opens the store of a server: connects to its database, and brings the schema up to date.

import type { Config } from '../config/config.ts';
import { StoreClock } from '../store/clocks/store-clock.ts';
import { areTablesDistributed } from '../store/connection/cluster.ts';
import { Database } from '../store/connection/database.ts';
import { installationIdBytes } from '../store/connection/installation.ts';
import { prepareDatabase } from '../store/connection/migrate.ts';
import { createStore, type Store } from '../store/store.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * The store closes with `started`.
 * @throws StartProblem for a problem that the operator has to fix.
 */
export async function openStore(
  { environment, databasePoolSize }: Config,
  { connection, clock, randomness, log }: ServerOptions,
  started: AsyncDisposableStack,
): Promise<Store> {
  const onIdleFailure = (error: Error) => log.warn({ err: error }, 'an idle database connection broke');
  await using first = new Database({ connection, poolSize: 1, isDistributed: false, onIdleFailure });
  const { installation, migrations } = await prepareDatabase(first, connection, {
    environment,
    installationId: randomness.bytes(installationIdBytes),
  });
  if (migrations.length > 0) log.info({ migrations }, 'Updated the schema');
  const isDistributed = await areTablesDistributed(first);
  const database = started.use(
    new Database({ connection, poolSize: databasePoolSize, isDistributed, onIdleFailure }),
  );
  const store = createStore({
    database,
    environment,
    installationId: installation.installationId,
    clock: new StoreClock(clock, environment),
    onCallsDropped(count, error) {
      log.warn({ err: error, count }, 'calls could not be written to the request log');
    },
  });
  if (store.sandbox !== undefined) started.use(store.sandbox.requestLog);
  return store;
}
