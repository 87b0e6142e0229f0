// The store of one server: its database, and what the server keeps on top of it and shares between calls.

import type { Environment } from '../domain/identifiers.ts';
import { type AppDirectory, appDirectory } from './apps/app-directory.ts';
import type { StoreClock } from './clocks/store-clock.ts';
import type { Database } from './connection/database.ts';
import { purchaseConsumer } from './purchases/consumptions.ts';
import { purchaseStateReader } from './purchases/purchases.ts';
import { RequestLog } from './sandbox/request-log.ts';
import { type SandboxState, sandboxStateReader } from './sandbox/sandbox-state.ts';
import { monthReader } from './subscriptions/subscriptions.ts';

interface StoreOptions {
  readonly database: Database;
  readonly environment: Environment;
  readonly installationId: Buffer;
  readonly clock: StoreClock;
  /** Called when calls could not be written to the request log. */
  readonly onCallsDropped: (count: number, error: unknown) => void;
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
  readonly readMonth: ReturnType<typeof monthReader>;
  readonly consumePurchase: ReturnType<typeof purchaseConsumer>;
  /** undefined in production. */
  readonly sandbox: SandboxStore | undefined;
}

interface SandboxStore {
  readonly readState: (packageName: string) => Promise<SandboxState>;
  readonly requestLog: RequestLog;
}

export function createStore(options: StoreOptions): Store {
  const { database, environment, installationId, clock, onCallsDropped } = options;
  return {
    database,
    clock,
    environment,
    installationId,
    apps: appDirectory(database, clock),
    readPurchase: purchaseStateReader(database),
    readMonth: monthReader(database),
    consumePurchase: purchaseConsumer({ database, clock }),
    sandbox: environment === 'sandbox' ? createSandboxStore(database, onCallsDropped) : undefined,
  };
}

function createSandboxStore(database: Database, onDropped: StoreOptions['onCallsDropped']): SandboxStore {
  return { readState: sandboxStateReader(database), requestLog: new RequestLog(database, onDropped) };
}
