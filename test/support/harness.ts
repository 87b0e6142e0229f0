// Shared by tests of the whole server: databases, servers on free ports, and HTTP calls.

import { OpenTillError } from '@opentill/client';
import { OperatorClient } from '@opentill/client/operator';
import type { ClientConfig } from 'pg';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { parseTokenKeys, type TokenKeys } from '../../packages/server/src/domain/tokens/access-token.ts';
import type { BuiltFiles } from '../../packages/server/src/http/pages/built-files.ts';
import { type RunningServer, startServer } from '../../packages/server/src/program/server.ts';
import type { ServerTesting } from '../../packages/server/src/program/server-parts.ts';
import { callLines, logOptions } from '../../packages/server/src/runtime/log.ts';
import { type Randomness, secureRandomness } from '../../packages/server/src/runtime/randomness.ts';
import { contractFetch } from './contract-fetch.ts';
import { noteCall, notedLog } from './failure-notes.ts';
import { onBroken } from './renewals/broken-assertion.ts';
import type { ServerAddress } from './start/opentill-process.ts';
import { TestClock } from './test-clock.ts';
import { freshDatabase, serverConnection, serverUrl, type TestDatabase } from './test-databases.ts';
import { testPatience, waitFor } from './wait-for.ts';

export { emptyDatabase, freshDatabase, type TestDatabase } from './test-databases.ts';

/** An ordinary instant: a Sunday in March 2026, noon UTC. */
export const testNow = Date.UTC(2026, 2, 15, 12);

export const adminKey = 'test-admin-key-0123456789-abcdef';
export const recordKey = 'test-record-key-0123456789-abcdef';
export const readKey = 'test-read-key-0123456789-abcdefghi';
export const supportKey = 'test-support-key-0123456789-abcdef';

const tokenKeysText = `1:${Buffer.alloc(32, 1).toString('base64url')}`;

/** The settings of a server in a separate process on the database of a test. */
export function databaseEnv(connection: ClientConfig) {
  return {
    DATABASE_URL: serverUrl(connection),
    OPENTILL_OPERATOR_KEYS: `admin:admin:${adminKey}`,
    OPENTILL_TOKEN_KEYS: tokenKeysText,
  };
}

export function testTokenKeys(text = tokenKeysText): TokenKeys {
  const keys = parseTokenKeys(text);
  if ('problem' in keys) throw new Error(keys.problem);
  return keys;
}

export interface TestServerOptions {
  /** A database that several servers share; by default the server gets a new one. */
  readonly database?: Pick<TestDatabase, 'connection'>;
  /** The clock of the process, which the database follows unless another one drives it. */
  readonly clock?: TestClock;
  readonly tokenKeys?: TokenKeys;
  /** Settings (OPENTILL_*) in addition to those of every test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the random values. */
  readonly randomness?: Randomness;
  /** Whether the clock job runs; it does not by default. */
  readonly comparesClocks?: boolean;
  /** Whether the other jobs run; they do not by default. */
  readonly runsJobs?: boolean;
  /** Other limits than those of every test. */
  readonly testing?: Pick<ServerTesting, 'arrivalMs' | 'connectionsMax' | 'patience'>;
  readonly built?: BuiltFiles;
  /** Collects what is logged, line by line. */
  readonly logLines?: string[];
}

export interface TestServer extends RunningServer {
  readonly clock: TestClock;
  readonly connection: ClientConfig;
  readonly tokenKeys: TokenKeys;
}

/** Whether receivers of webhooks may be on this machine, as those of tests are. */
function isPrivate(env: TestServerOptions['env'] = {}): boolean {
  const { OPENTILL_ENVIRONMENT, OPENTILL_HOST, OPENTILL_TRUSTED_PROXIES } = env;
  return OPENTILL_ENVIRONMENT !== 'production' && (OPENTILL_HOST ?? OPENTILL_TRUSTED_PROXIES) === undefined;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const owned = options.database === undefined ? await freshDatabase() : undefined;
  const { connection } = options.database ?? (owned as TestDatabase);
  const { clock = new TestClock(testNow), tokenKeys = testTokenKeys() } = options;
  await clock.drive({ connection });
  const { logLines, randomness = secureRandomness, built, testing } = options;
  const { runsJobs = false, comparesClocks = false } = options;
  const config = readConfig({
    OPENTILL_PORT: '0',
    OPENTILL_OPERATOR_PORT: '0',
    OPENTILL_OPERATOR_KEYS: `checkout:record:${recordKey},finance:read:${readKey},helpdesk:support:${supportKey}`,
    OPENTILL_JOBS: runsJobs ? 'on' : 'off',
    ...(isPrivate(options.env) && { OPENTILL_WEBHOOK_ALLOW: 'loopback' }),
    ...options.env,
  });
  const lines = notedLog(logLines);
  const log = pino(logOptions, lines);
  const own = {
    connection: serverConnection(connection),
    adminKey,
    tokenKeys,
    randomness,
    log,
    logCall: callLines(log, lines),
    built,
  };
  const server = await startServer(config, {
    ...own,
    clock,
    // A test moves its clock and that of the database one after the other.
    testing: { comparesClocks, patience: testPatience, onBroken, ...testing },
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await owned?.[Symbol.asyncDispose]();
  };
  return { ...server, clock, connection, tokenKeys, stop, [Symbol.asyncDispose]: stop };
}

/** Keeps a resource open until the tests of the file are done: `const stage = await useForFile(startStage())`. */
export async function useForFile<Resource extends AsyncDisposable>(
  starting: Resource | Promise<Resource>,
): Promise<Resource> {
  const resource = await starting;
  afterAll(() => resource[Symbol.asyncDispose]());
  return resource;
}

/** The server of a test file: `const server = await useTestServer()` at its top. */
export function useTestServer(options?: TestServerOptions): Promise<TestServer> {
  return useForFile(startTestServer(options));
}

/** Two servers of a test file that share a database. */
export async function useTwoTestServers(
  options?: Omit<TestServerOptions, 'database'>,
): Promise<readonly [TestServer, TestServer]> {
  const database = await useForFile(freshDatabase());
  return [await useTestServer({ ...options, database }), await useTestServer({ ...options, database })];
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests check the shape of the response themselves.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function call(
  url: string,
  { method = 'GET', headers = {}, body }: Call = {},
): Promise<HttpResponse> {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  noteCall({ method, url, body }, { status: response.status, text });
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** A call of the operator API; `path` follows /operator/v1. */
export function operate(
  server: Pick<ServerAddress, 'operatorUrl'>,
  method: string,
  path: string,
  { body, key = adminKey }: { readonly body?: unknown; readonly key?: string } = {},
): Promise<HttpResponse> {
  return call(`${server.operatorUrl}/operator/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A call of the purchase API with a token; `path` follows /v2/purchase. */
export function callPurchaseApi(
  server: Pick<ServerAddress, 'publicUrl'>,
  {
    token,
    path,
    method = 'GET',
  }: { readonly token: string; readonly path: string; readonly method?: string },
): Promise<HttpResponse> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return call(`${server.publicUrl}/v2/purchase${path}`, { method, headers });
}

export function requestToken(
  server: Pick<ServerAddress, 'publicUrl'>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<HttpResponse> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  return call(`${server.publicUrl}/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
}

/** An access token, also from a program that returns 503 on a busy machine. */
export async function issueToken(...call: Parameters<typeof requestToken>): Promise<string> {
  const attempt = async () => {
    const response = await requestToken(...call);
    return response.status !== 503 && response;
  };
  const { status, body } = await waitFor(attempt, { what: 'a response other than 503' });
  if (status !== 200) throw new Error(`expected an access token, got ${status}`);
  return body.access_token;
}

export interface TestApp {
  readonly packageName: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A valid access token. */
  readonly token: string;
}

/** A client of the operator API; each response is checked against the contract. */
export function operatorOf({ operatorUrl: host }: Pick<ServerAddress, 'operatorUrl'>): OperatorClient {
  return new OperatorClient({ host, operatorKey: adminKey, fetch: contractFetch });
}

/** Retries a preparation of a test after 503, which a server on a busy machine may return. */
export async function untilAvailable<Result extends object>(make: () => Promise<Result>): Promise<Result> {
  const made = await waitFor(
    () =>
      make().catch((error: unknown) => {
        if (error instanceof OpenTillError && error.httpStatus === 503) return undefined;
        throw error;
      }),
    { what: 'a response other than 503' },
  );
  return made as Result;
}

/** An app with a token and two products: `coins` (one-time) and `monthly` (subscription, sandbox only). */
export async function createTestApp(
  server: ServerAddress,
  packageName = 'com.example.game',
): Promise<TestApp> {
  const operator = operatorOf(server);
  const { clientId, clientSecret } = await untilAvailable(() => operator.createApp({ packageName }));
  const product = { packageName, price: 499, currency: 'EUR' };
  await untilAvailable(() => operator.putProduct({ ...product, productId: 'coins', type: 'oneTime' }));
  try {
    const monthly = { ...product, productId: 'monthly', type: 'subscription' } as const;
    await untilAvailable(() => operator.putProduct(monthly));
  } catch (error) {
    // Production without a payment gateway rejects subscriptions.
    if (!(error instanceof OpenTillError && error.httpStatus === 409)) throw error;
  }
  const app = { packageName, clientId, clientSecret };
  return { ...app, token: await issueToken(server, app) };
}

let appsMade = 0;

/** Creates an app that no other test of the file uses. */
export function newTestApp(server: ServerAddress): Promise<TestApp> {
  appsMade += 1;
  return createTestApp(server, `com.example.app${appsMade}`);
}

/** Records a purchase, of `coins` by default, and returns its whole record. */
export async function recordTestPurchase(
  server: Pick<ServerAddress, 'operatorUrl'>,
  app: Pick<TestApp, 'packageName'>,
  purchase: Readonly<Record<string, unknown>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
): Promise<any> {
  const { packageName } = app;
  return operatorOf(server).recordPurchase({ packageName, productId: 'coins', ...purchase });
}
