// What the renewals are measured on: a database with purchases to read, two production servers on it, and a
// payment gateway that each of them asks.

import { join } from 'node:path';
import { systemClock } from '../src/runtime/clock.ts';
import { fillLedger, type Ledger, purchaseCount, startLedger } from './bench-ledger.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { type Client, createClients } from './purchase-calls.ts';

const adminKey = 'bench-admin-key-0123456789';
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

export interface RenewalServers extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly gateway: ChildServer;
  readonly servers: readonly ChildServer[];
  /** Those who read purchases. */
  readonly clients: readonly Client[];
}

export function startGateway(folder: string, delayMs = 0): Promise<ChildServer> {
  return startChild(new URL('./loopback-gateway.ts', import.meta.url).pathname, {
    readyWords: 'gateway',
    urlWords: 'gateway',
    env: { PATH: process.env['PATH'], SECRET: secret, DELAY_MS: String(delayMs) },
    logFile: join(folder, 'gateway.log'),
  });
}

/** The settings of a production server that asks the gateway. */
export function productionSettings(ledger: Ledger, gateway: ChildServer): Record<string, string> {
  return {
    DATABASE_URL: ledger.databaseUrl,
    OPENTILL_ENVIRONMENT: 'production',
    OPENTILL_PORT: '0',
    OPENTILL_OPERATOR_PORT: '0',
    OPENTILL_OPERATOR_KEY: adminKey,
    OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
    OPENTILL_PAYMENT_GATEWAY_URL: gateway.url,
    OPENTILL_PAYMENT_GATEWAY_SECRET: secret,
  };
}

/** What the gateway took money for, by its own account. */
export async function takenBy(gateway: ChildServer): Promise<ReadonlyMap<string, number>> {
  return new Map((await (await fetch(gateway.url)).json()) as [string, number][]);
}

/** Starts a server, whose log goes to a file of that name. */
export function startProductionServer(
  folder: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ChildServer> {
  return startChild(new URL('../bin/opentill.cjs', import.meta.url).pathname, {
    readyWords: 'documentation',
    urlWords: 'purchase API',
    env: { PATH: process.env['PATH'], ...settings },
    logFile: join(folder, `${name}.log`),
  });
}

/** Makes the apps of the ledger through a server. */
export function createApps(server: ChildServer): Promise<Client[]> {
  const operatorUrl = server.announced.match(/operator API\s+(http:\/\/[^\s/]+)/)?.[1] ?? '';
  return createClients({ operatorUrl, publicUrl: server.url }, adminKey);
}

export async function startRenewalServers(folder: string): Promise<RenewalServers> {
  await using starting = new AsyncDisposableStack();
  const ledger = starting.use(await startLedger(folder));
  const gateway = starting.use(await startGateway(folder));
  const settings = productionSettings(ledger, gateway);
  const first = starting.use(await startProductionServer(folder, 'first', settings));
  const second = starting.use(await startProductionServer(folder, 'second', settings));
  const clients = await createApps(first);
  await fillLedger(ledger, systemClock.now() - purchaseCount);
  const started = starting.move();
  return {
    ledger,
    gateway,
    servers: [first, second],
    clients,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
