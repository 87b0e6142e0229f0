// What the tests of deliveries share: a sandbox whose clock only a test moves, a receiver, and the job of another
// server on the same database, which looks when it is told to.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import type { Delivery } from '@opentill/contract/webhooks.ts';
import { pino } from 'pino';
import type { WebhookRules } from '../../src/domain/webhooks/webhook-address.ts';
import { WebhookJob, type WebhookJobParts } from '../../src/jobs/webhooks/webhook-job.ts';
import { webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { Database } from '../../src/store/connection/database.ts';
import { sandboxStateReader } from '../../src/store/sandbox/sandbox-state.ts';
import {
  createTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  type TestServer,
} from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { answering, type Received, startTestReceiver, type TestReceiver } from './test-receiver.ts';

const { getWebhook, listDeliveries, putWebhook } = sandboxApi;

/** A receiver that is silent costs a test this long; on a busy machine one that answers takes a part of it. */
const testTimeoutMs = 1_500;

export const ownMachine: WebhookRules = { allowsHttp: true, allowsLoopback: true, allowedRanges: [] };

export interface Told {
  readonly ends: string[];
  readonly logLines: string[];
  oldestSeconds: number;
}

export interface WebhookStage extends AsyncDisposable {
  readonly server: TestServer;
  readonly receiver: TestReceiver;
  readonly job: WebhookJob;
  readonly told: Told;
  /** For an app that there is not yet. */
  nextPackageName(): string;
}

export async function startWebhookStage(): Promise<WebhookStage> {
  await using started = new AsyncDisposableStack();
  const receiver = started.use(await startTestReceiver());
  const server = started.use(await startTestServer());
  const told: Told = { ends: [], logLines: [], oldestSeconds: 0 };
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

/** The job of one more server; it lets go of its connections when it is disposed of. */
export function openJob(
  { connection, clock }: Pick<TestServer, 'connection' | 'clock'>,
  told: Told = { ends: [], logLines: [], oldestSeconds: 0 },
  changed: Partial<WebhookJobParts> = {},
): AsyncDisposable & { readonly job: WebhookJob } {
  const database = new Database({ connection, poolSize: 6, onIdleFailure: () => undefined });
  const job = new WebhookJob({
    database,
    environment: 'sandbox',
    rules: ownMachine,
    clock,
    randomness: secureRandomness,
    log: pino({ base: null }, { write: (line: string) => told.logLines.push(line) }),
    readSandboxState: sandboxStateReader(database),
    sender: webhookSender({ rules: ownMachine, timeoutMs: testTimeoutMs }),
    onAttempt: (end) => told.ends.push(end),
    onOldest: (seconds) => {
      told.oldestSeconds = seconds;
    },
    ...changed,
  });
  return {
    job,
    async [Symbol.asyncDispose]() {
      await job.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The same, which waits for an answer as long as a busy machine needs to hold it back. */
export function openPatientJob(
  server: Pick<TestServer, 'connection' | 'clock'>,
  told?: Told,
): ReturnType<typeof openJob> {
  return openJob(server, told, { sender: webhookSender({ rules: ownMachine, timeoutMs: 30_000 }) });
}

export interface HookedApp extends TestApp {
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** An app whose events go to the receiver, or to another URL. */
export async function createHookedApp(
  { server, receiver }: Pick<WebhookStage, 'server' | 'receiver'>,
  packageName: string,
  url = receiver.url,
): Promise<HookedApp> {
  const app = await createTestApp(server, packageName);
  const answer = await callSandbox(server, putWebhook, { key: app.token, body: { url } });
  if (answer.status !== 201) throw new Error(`putWebhook: ${answer.text}`);
  return { ...app, secret: answer.body.secret as string };
}

/** For the next test: an app of its own, and a receiver that answers with 204 again. */
export function nextHookedApp(stage: WebhookStage): Promise<HookedApp> {
  stage.receiver.react(() => answering(204));
  return createHookedApp(stage, stage.nextPackageName());
}

/** Makes a purchase, which is an event. */
export function buy({ server }: Pick<WebhookStage, 'server'>, app: TestApp, purchaseId: string) {
  return recordTestPurchase(server, app, { purchaseId });
}

/** Oldest first, at most 200. */
export async function deliveriesOf(
  { server }: Pick<WebhookStage, 'server'>,
  app: TestApp,
  query: Readonly<Record<string, string>> = {},
): Promise<Delivery[]> {
  const answer = await callSandbox(server, listDeliveries, {
    key: app.token,
    query: { pageSize: 200, ...query },
  });
  if (answer.status !== 200) throw new Error(`listDeliveries: ${answer.text}`);
  return (answer.body.deliveries as Delivery[]).toReversed();
}

export async function statesOf(stage: Pick<WebhookStage, 'server'>, app: TestApp): Promise<string[]> {
  return (await deliveriesOf(stage, app)).map(({ state }) => state);
}

/** What has come of an app, in order. */
export function receivedOf(
  { receiver }: Pick<WebhookStage, 'receiver'>,
  { packageName }: Pick<TestApp, 'packageName'>,
): readonly Received[] {
  return receiver.received.filter(({ body }) => body.packageName === packageName);
}

export async function webhookOf({ server }: Pick<WebhookStage, 'server'>, app: TestApp) {
  return (await callSandbox(server, getWebhook, { key: app.token })).body;
}
