// Shared by tests of deliveries: a sandbox whose clock only the test moves, a receiver, and the job of another server on the
// same database, which polls on demand.

import { developerApi } from '@opentill/contract/developer-api.ts';
import type { Delivery } from '@opentill/contract/webhooks.ts';
import { pino } from 'pino';
import type { WebhookRules } from '../../../packages/server/src/domain/webhooks/webhook-address.ts';
import { WebhookJob } from '../../../packages/server/src/jobs/webhooks/webhook-job.ts';
import {
  type WebhookSender,
  webhookSender,
} from '../../../packages/server/src/jobs/webhooks/webhook-sender.ts';
import { secureRandomness } from '../../../packages/server/src/runtime/randomness.ts';
import { StoreClock } from '../../../packages/server/src/store/clocks/store-clock.ts';
import {
  createTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  type TestServer,
} from '../harness.ts';
import { callDeveloper } from '../http/checked-call.ts';
import { openDatabase } from '../store/open-database.ts';
import { type Received, responding, startTestReceiver, type TestReceiver } from './test-receiver.ts';

const { getWebhook, listDeliveries, putWebhook } = developerApi;

/** The default timeout of attempts: on a busy machine, a response takes only a part of it. */
const patientMs = 60_000;

export const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };

export interface Told {
  readonly ends: string[];
  readonly logLines: string[];
}

export interface WebhookStage extends AsyncDisposable {
  readonly server: TestServer;
  readonly receiver: TestReceiver;
  readonly job: WebhookJob;
  readonly told: Told;
  /** For an app that will be created. */
  nextPackageName(): string;
}

export async function startWebhookStage(): Promise<WebhookStage> {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startTestReceiver());
  const server = started.use(await startTestServer());
  const told: Told = { ends: [], logLines: [] };
  const { job } = started.use(openJob(server, told));
  const running = started.move();
  let apps = 0;
  return {
    server,
    receiver,
    job,
    told,
    nextPackageName() {
      apps += 1;
      return `com.example.app${apps}`;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The job of another server; disposing of it closes its connections. */
export function openJob(
  { connection, clock }: Pick<TestServer, 'connection' | 'clock'>,
  told: Told = { ends: [], logLines: [] },
  changed: { readonly sender?: WebhookSender; readonly rules?: WebhookRules } = {},
): AsyncDisposable & { readonly job: WebhookJob } {
  const { sender = webhookSender(ownMachine, { timeoutMs: patientMs }), rules = ownMachine } = changed;
  const database = openDatabase(connection, 6, { onIdleFailure: () => undefined });
  const job = new WebhookJob(database, {
    environment: 'sandbox',
    rules,
    sender,
    clock: new StoreClock(clock, 'sandbox'),
    randomness: secureRandomness,
    log: pino({ base: null }, { write: (line: string) => told.logLines.push(line) }),
    onAttempt: (end) => told.ends.push(end),
  });
  return {
    job,
    async [Symbol.asyncDispose]() {
      await job.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Creates an app whose events are delivered to the receiver. */
export async function createHookedApp(
  { server, receiver }: Pick<WebhookStage, 'server' | 'receiver'>,
  packageName: string,
): Promise<TestApp> {
  const app = await createTestApp(server, packageName);
  await hookApp(server, app, receiver.url);
  return app;
}

/** Makes the events of an app be delivered to a URL. */
export async function hookApp(server: TestServer, app: TestApp, url: string): Promise<void> {
  const response = await callDeveloper(server, putWebhook, { key: app.token, body: { url } });
  if (response.status !== 201) throw new Error(`putWebhook: ${response.text}`);
}

/** Prepares the next test: a new app, and a receiver that responds with 204. */
export function nextHookedApp(stage: WebhookStage): Promise<TestApp> {
  stage.receiver.react(() => responding(204));
  return createHookedApp(stage, stage.nextPackageName());
}

/** Records a purchase, which creates an event. */
export function buy({ server }: Pick<WebhookStage, 'server'>, app: TestApp, purchaseId: string) {
  return recordTestPurchase(server, app, { purchaseId });
}

/** Oldest first, at most 200. */
export async function deliveriesOf(
  { server }: Pick<WebhookStage, 'server'>,
  app: TestApp,
  query: Readonly<Record<string, string>> = {},
): Promise<Delivery[]> {
  const response = await callDeveloper(server, listDeliveries, {
    key: app.token,
    query: { pageSize: 200, ...query },
  });
  if (response.status !== 200) throw new Error(`listDeliveries: ${response.text}`);
  return (response.body.deliveries as Delivery[]).toReversed();
}

export async function statesOf(stage: Pick<WebhookStage, 'server'>, app: TestApp): Promise<string[]> {
  return (await deliveriesOf(stage, app)).map(({ state }) => state);
}

/** The received calls of an app, in order. */
export function receivedOf(
  { receiver }: Pick<WebhookStage, 'receiver'>,
  { packageName }: Pick<TestApp, 'packageName'>,
): readonly Received[] {
  return receiver.received.filter(({ body }) => body.packageName === packageName);
}

export async function webhookOf({ server }: Pick<WebhookStage, 'server'>, app: TestApp) {
  return (await callDeveloper(server, getWebhook, { key: app.token })).body;
}
