// A sandbox server on free ports in this process, on a database of its own: for tests and for `opentill exec`.

import { PurchaseClient, type PurchaseClientOptions } from '@opentill/client';
import { OperatorClient } from '@opentill/client/operator';
import { SandboxClient } from '@opentill/client/sandbox';
import type { ClientConfig } from 'pg';
import { pino } from 'pino';
import { readConfig } from '../config/config.ts';
import type { SettingName } from '../config/settings.ts';
import type { TokenKeys } from '../domain/tokens/access-token.ts';
import { systemClock } from '../runtime/clock.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { startServer } from './server.ts';

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

interface SandboxParts {
  readonly connection: ClientConfig;
  readonly databaseUrl?: string | undefined;
  readonly settings?: Readonly<Partial<Record<SettingName, string>>>;
}

/** @throws StartProblem for a problem that the caller has to fix. */
export async function startSandboxOn({ connection, databaseUrl, settings }: SandboxParts): Promise<Sandbox> {
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
  const server = await startServer(config, {
    connection,
    adminKey: undefined,
    tokenKeys: config.tokenKeys as TokenKeys,
    clock: systemClock,
    randomness: secureRandomness,
    log: pino({ level: 'silent' }),
  });
  const { publicUrl: host, operatorUrl: operatorHost, stop } = server;
  const operator = new OperatorClient({ host: operatorHost, operatorKey });
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
