// Shared by tests of renewals: a production server with a gateway, a clock that only the test moves, and the job of another
// server on the same database, which polls on demand.

import { pino } from 'pino';
import { httpGateway } from '../../../packages/server/src/charging/gateways/http-gateway.ts';
import {
  RenewalJob,
  type RenewalJobOptions,
} from '../../../packages/server/src/jobs/subscriptions/renewal-job.ts';
import type { Log } from '../../../packages/server/src/runtime/log.ts';
import { requestIds, secureRandomness } from '../../../packages/server/src/runtime/randomness.ts';
import { StoreClock } from '../../../packages/server/src/store/clocks/store-clock.ts';
import type { Database } from '../../../packages/server/src/store/connection/database.ts';
import {
  callPurchaseApi,
  createTestApp,
  operate,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestApp,
  type TestServer,
} from '../harness.ts';
import { query } from '../query.ts';
import { forgetLastVoid } from '../stage.ts';
import { openDatabase } from '../store/open-database.ts';
import { openSecondConnection, type SecondConnection } from '../store/second-connection.ts';
import { defaultRetries } from '../subscriptions/started.ts';
import { TestClock } from '../test-clock.ts';
import { testPatience } from '../wait-for.ts';
import { onBroken } from './broken-assertion.ts';
import { gatewaySecret, gatewaySecretText, startTestGateway, type TestGateway } from './test-gateway.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A period that begins here ends on 28 February, the next on 31 March. */
export const stageStart = Date.UTC(2026, 0, 31, 9);
export const firstDue = Date.UTC(2026, 1, 28, 9);
export const secondDue = Date.UTC(2026, 2, 31, 9);

/** How long after its due time the second period may be charged. */
export const chargeableMs = Math.floor((2 * (secondDue - firstDue)) / 3);

/** Little, so that a test can wait until a lock was waited for too long. */
export const hasty = { patience: 2 } as const;

/** The default timeout of a charge: on a busy machine, a response takes only a part of it. */
const patientMs = 60_000;

export interface RenewalStage extends AsyncDisposable {
  readonly server: TestServer;
  readonly app: TestApp;
  readonly clock: TestClock;
  readonly gateway: TestGateway;
  readonly job: RenewalJob;
  /** What the job reported. */
  readonly told: { refundsDue: number; readonly logLines: string[] };
}

export async function startRenewalStage(options: JobOptions = {}): Promise<RenewalStage> {
  await using started = new AsyncDisposableStack();
  const gateway = started.use(await startTestGateway());
  const clock = new TestClock(stageStart);
  const server = started.use(await startTestServer({ clock, env: stageEnv(gateway) }));
  const app = await createTestApp(server);
  const told = { refundsDue: 0, logLines: [] };
  const { job } = started.use(openJob(server, { gateway, told }, options));
  const running = started.move();
  return { server, app, clock, gateway, job, told, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** The settings of a production server with a test gateway. */
export function stageEnv(
  { url }: Pick<TestGateway, 'url'>,
  { timeZone = 'UTC' } = {},
): Record<string, string> {
  return {
    OPENTILL_ENVIRONMENT: 'production',
    OPENTILL_TIME_ZONE: timeZone,
    OPENTILL_PAYMENT_GATEWAY_URL: url,
    OPENTILL_PAYMENT_GATEWAY_SECRET: gatewaySecretText,
  };
}

export interface JobOptions extends Partial<Pick<RenewalJobOptions, 'clock' | 'testing' | 'retries'>> {
  /** Multiplies the time limits of its statements. */
  readonly patience?: number;
  /** The timeout of a charge. */
  readonly timeoutMs?: number;
}

export interface OpenJob extends AsyncDisposable {
  readonly job: RenewalJob;
  readonly database: Database;
}

/** The job of another server of the stage; disposing of it closes its connections. */
export function openJob(
  server: Pick<TestServer, 'connection' | 'clock'>,
  { gateway, told }: Pick<RenewalStage, 'gateway' | 'told'>,
  { timeoutMs = patientMs, ...changed }: JobOptions = {},
): OpenJob {
  const settings = { url: gateway.url, secret: gatewaySecret };
  return openJobWith(server, {
    gateway: httpGateway(settings, { clock: server.clock, timeoutMs }),
    environment: 'production',
    log: logInto(told.logLines),
    onRefundDue: () => {
      told.refundsDue += 1;
    },
    ...changed,
  });
}

export function logInto(lines: string[]): Log {
  return pino({ base: null }, { write: (line: string) => lines.push(line) });
}

/** The installation of the jobs that tests open. */
const installationId = Buffer.alloc(16, 0xab);

/** The idempotency key of an attempt by such a job. */
export function keyOf(
  { packageName }: Pick<TestApp, 'packageName'>,
  id: string,
  paidPeriod: number,
  attempt: number,
) {
  return `${installationId.toString('hex')}/${packageName}/${id}/${paidPeriod}/${attempt}`;
}

/** A job with another gateway than that of the stage. */
export function openJobWith(
  { connection, clock }: Pick<TestServer, 'connection' | 'clock'>,
  {
    patience = testPatience,
    ...options
  }: Partial<RenewalJobOptions> &
    Pick<RenewalJobOptions, 'gateway' | 'environment'> &
    Pick<JobOptions, 'patience'>,
): OpenJob {
  const database = openDatabase(connection, 6, { patience });
  const job = new RenewalJob({
    database,
    retries: defaultRetries,
    installationId,
    randomness: secureRandomness,
    clock: new StoreClock(clock, options.environment),
    log: pino({ level: 'silent' }),
    holder: secureRandomness.bytes(9).toString('base64url'),
    nextRequestId: requestIds(secureRandomness),
    onRefundDue: () => undefined,
    ...options,
    testing: { onBroken, ...options.testing },
  });
  return {
    job,
    database,
    async [Symbol.asyncDispose]() {
      await job.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Moves the clock to an instant and processes everything that is due by then. */
export async function passTo(
  { clock, job }: Pick<RenewalStage, 'clock' | 'job'>,
  now: number,
): Promise<void> {
  await clock.set(now);
  await job.runOnce();
}

/** Every charge is paid, and locks this subscription, so that nothing about it is written until the transaction ends. */
export async function lockWhenCharged(
  { server, app, gateway }: Pick<RenewalStage, 'server' | 'app' | 'gateway'>,
  id: string,
): Promise<SecondConnection> {
  const second = await openSecondConnection(server.connection);
  const lock = 'select from subscription where package_name = $1 and first_purchase_id = $2 for update';
  gateway.decide(async () => {
    await second.run(lock, [app.packageName, id]);
    return { outcome: 'paid' };
  });
  return second;
}

/** A subscription that starts now. */
export function subscribe(
  { server, app }: Pick<RenewalStage, 'server' | 'app'>,
  purchaseId: string,
  purchase: Readonly<Record<string, unknown>> = {},
) {
  return recordTestPurchase(server, app, { productId: 'monthly', purchaseId, ...purchase });
}

let subscriptions = 0;

/** Prepares the next test: clears the log, resets the clock, and starts a subscription, whose id it returns. */
export async function nextSubscription(stage: RenewalStage): Promise<string> {
  stage.told.logLines.length = 0;
  await stage.clock.set(stageStart);
  await forgetLastVoid(stage.server, stage.app);
  subscriptions += 1;
  const purchaseId = `S-${subscriptions}`;
  await subscribe(stage, purchaseId);
  return purchaseId;
}

/** The details of the newest period in the purchase API. */
export async function lastDetails({ server, app }: Pick<RenewalStage, 'server' | 'app'>, id: string) {
  const path = `/last-recurring-details/${id}/${app.packageName}`;
  return (await callPurchaseApi(server, { token: await tokenOf(server, app), path })).body;
}

/** Requests a new token, because the clock of a test moves by months. */
export async function tokenOf(server: TestServer, app: TestApp): Promise<string> {
  return (await requestToken(server, app)).body.access_token;
}

/** The subscription in the operator API. */
export async function shownSubscription({ server, app }: Pick<RenewalStage, 'server' | 'app'>, id: string) {
  return (await operate(server, 'GET', `/apps/${app.packageName}/subscriptions/${id}`)).body;
}

/** The events of a subscription, in order, without the word `subscription.` */
export async function eventsOf({ server }: Pick<RenewalStage, 'server'>, id: string): Promise<string[]> {
  const rows = await query(
    server.connection,
    `select type from event where first_purchase_id = '${id}' order by package_name, event_order`,
  );
  return rows.map(({ type }) => String(type).replace('subscription.', ''));
}

/** The last events in the feed, oldest first, which must all be of the subscription. */
export async function newestEvents(
  { server, app }: Pick<RenewalStage, 'server' | 'app'>,
  id: string,
  count: number,
) {
  const rows = await query(
    server.connection,
    `select max(event_order) as last from event where first_purchase_id = '${id}'`,
  );
  const path = `/apps/${app.packageName}/events?after=${Number(rows[0]?.['last']) - count}&pageSize=${count}`;
  return (await operate(server, 'GET', path)).body.events;
}
