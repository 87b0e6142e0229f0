// The store of one server: its database, and what the server keeps on top of it and shares between calls.

import type { ClientConfig } from 'pg';
import type { Environment } from '../domain/identifiers.ts';
import { minuteMs } from '../domain/time.ts';
import type { Clock } from '../runtime/clock.ts';
import { FixedWindows } from '../runtime/fixed-windows.ts';
import type { Log } from '../runtime/log.ts';
import type { Randomness } from '../runtime/randomness.ts';
import { type AppDirectory, appDirectory } from './apps/app-directory.ts';
import { StoreClock } from './clocks/store-clock.ts';
import { Database } from './connection/database.ts';
import { purchaseConsumer } from './purchases/consumptions.ts';
import { purchaseStateReader } from './purchases/purchases.ts';
import { RequestLog } from './sandbox/request-log.ts';
import { type SandboxState, sandboxStateReader } from './sandbox/sandbox-state.ts';
import { areTablesDistributed } from './schema/cluster.ts';
import { installationIdBytes } from './schema/installation.ts';
import { prepareDatabase } from './schema/migrate.ts';
import { periodReader } from './subscriptions/subscriptions.ts';

interface StoreOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  readonly environment: Environment;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly patience?: number | undefined;
}

/** Concurrent calls of the same function below share statements. */
export interface Store {
  readonly database: Database;
  readonly clock: StoreClock;
  readonly environment: Environment;
  readonly installationId: Buffer;
  /** The apps of access tokens, as this process remembers them. */
  readonly apps: AppDirectory;
  readonly readPurchase: ReturnType<typeof purchaseStateReader>;
  readonly readPeriod: ReturnType<typeof periodReader>;
  readonly consumePurchase: ReturnType<typeof purchaseConsumer>;
  /** undefined in production. */
  readonly sandbox: SandboxStore | undefined;
}

interface SandboxStore {
  readonly readState: (packageName: string) => Promise<SandboxState>;
  readonly requestLog: RequestLog;
}

/**
 * Connects to the database and brings its schema up to date. The store closes with `started`.
 * @throws StartProblem for a problem that the operator has to fix.
 */
export async function openStore(
  { connection, poolSize, environment, clock: machineClock, randomness, log, patience }: StoreOptions,
  started: AsyncDisposableStack,
): Promise<Store> {
  const broken = new FixedWindows(minuteMs);
  const onIdleFailure = ({ message: reason }: Error) => {
    if (broken.count('', machineClock.now()).count > 1) return;
    log.warn({ reason }, 'idle database connections broke; logged once a minute');
  };
  const common = { connection, onIdleFailure, patience };
  await using first = new Database({ ...common, poolSize: 1, isDistributed: false });
  const { installation, migrations, warning } = await prepareDatabase(first, connection, {
    environment,
    installationId: randomness.bytes(installationIdBytes),
  });
  if (migrations.length > 0) log.info({ migrations }, 'Updated the schema');
  if (warning !== undefined) log.warn(warning);
  const isDistributed = await areTablesDistributed(first);
  const database = started.use(new Database({ ...common, poolSize, isDistributed }));
  const clock = new StoreClock(machineClock, environment);
  const sandbox = environment === 'sandbox' ? createSandboxStore(database, log) : undefined;
  if (sandbox !== undefined) started.use(sandbox.requestLog);
  return {
    database,
    clock,
    environment,
    installationId: installation.installationId,
    apps: appDirectory(database, clock),
    readPurchase: purchaseStateReader(database),
    readPeriod: periodReader(database),
    consumePurchase: purchaseConsumer({ database, clock }),
    sandbox,
  };
}

function createSandboxStore(database: Database, log: Log): SandboxStore {
  const onDropped = (count: number, error: unknown) =>
    log.warn({ err: error, count }, 'calls could not be written to the request log');
  return { readState: sandboxStateReader(database), requestLog: new RequestLog(database, onDropped) };
}
