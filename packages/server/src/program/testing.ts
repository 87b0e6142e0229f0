// A sandbox for tests: `@opentill/server/testing`. A whole server on free ports in the process of the test, with
// apps of their own, on the bundled PostgreSQL or a given one (docs/quick-start-tests.md).

import { PurchaseClient, type PurchaseClientOptions } from '@opentill/client';
import { OperatorClient } from '@opentill/client/operator';
import { SandboxClient } from '@opentill/client/sandbox';
import { pino } from 'pino';
import { readConfig } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';
import type { TokenKeys } from '../domain/tokens/access-token.ts';
import { systemClock } from '../runtime/clock.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { startServer } from './server.ts';
import { makeDatabaseReady, takeDatabase } from './testing-databases.ts';

export interface SandboxOptions {
  /** A PostgreSQL database for sandboxes; without one the bundled PostgreSQL is started, once in a process. */
  readonly databaseUrl?: string | undefined;
  /**
   * Further settings of the server (docs/settings.md), such as `{ OPENTILL_TIME_ZONE: 'Europe/Berlin' }`. Database, data
   * folder, demo app, log, operator keys and token keys are the sandbox's own, which these settings do not change.
   */
  readonly settings?: Readonly<Partial<Record<SettingName, string>>> | undefined;
}

export interface SandboxApp {
  /** The options of a PurchaseClient or SandboxClient for the app. */
  readonly options: PurchaseClientOptions;
  /** The calls of the app's backend. */
  readonly client: PurchaseClient;
  /** What only a sandbox can do: purchases without a device, the clock, faults. */
  readonly sandbox: SandboxClient;
}

export interface Sandbox extends AsyncDisposable {
  /** Where the purchase API and the sandbox API are. */
  readonly host: string;
  /** Where the operator API is. */
  readonly operatorHost: string;
  /** A key of the role `admin`. */
  readonly operatorKey: string;
  readonly operator: OperatorClient;
  /** An app of its own, which no other one disturbs, so that each test can have one. */
  createApp(options?: { readonly packageName?: string }): Promise<SandboxApp>;
  /** Finishes the requests in flight, and removes all data that is not in your database. */
  stop(): Promise<void>;
}

const secretBytes = 32;
const nameBytes = 8;

/**
 * Starts a server for tests; the second one of a process takes a fraction of the first one's time.
 * @throws an error whose message says what to fix.
 */
export async function startSandbox({ databaseUrl, settings = {} }: SandboxOptions = {}): Promise<Sandbox> {
  await using starting = new AsyncDisposableStack();
  const connection =
    databaseUrl === undefined
      ? starting.use(await takeDatabase()).connection
      : { connectionString: databaseUrl };
  // While this server starts, and its tests run.
  if (databaseUrl === undefined) makeDatabaseReady();
  const operatorKey = draw(secretBytes);
  const config = readConfig({
    OPENTILL_PORT: '0',
    OPENTILL_OPERATOR_PORT: '0',
    OPENTILL_WEBHOOK_ALLOW: 'loopback',
    ...settings,
    DATABASE_URL: databaseUrl,
    OPENTILL_OPERATOR_KEYS: `sandbox:admin:${operatorKey}`,
    OPENTILL_TOKEN_KEYS: `1:${draw(secretBytes)}`,
  });
  const server = starting.use(
    await startServer(config, {
      connection,
      adminKey: undefined,
      tokenKeys: config.tokenKeys as TokenKeys,
      clock: systemClock,
      randomness: secureRandomness,
      log: pino({ level: 'silent' }),
    }),
  );
  const { publicUrl: host, operatorUrl: operatorHost } = server;
  const operator = new OperatorClient({ host: operatorHost, operatorKey });
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return {
    host,
    operatorHost,
    operatorKey,
    operator,
    createApp: (options) => createApp(operator, host, options),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function createApp(
  operator: OperatorClient,
  host: string,
  {
    packageName = `com.example.${secureRandomness.bytes(nameBytes).toString('hex')}`,
  }: { readonly packageName?: string } = {},
): Promise<SandboxApp> {
  const { clientId, clientSecret } = await operator.createApp({ packageName });
  const options = { host, environment: 'sandbox', clientId, clientSecret, packageName } as const;
  return { options, client: new PurchaseClient(options), sandbox: new SandboxClient(options) };
}

function draw(bytes: number): string {
  return secureRandomness.bytes(bytes).toString('base64url');
}
