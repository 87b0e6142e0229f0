// A server with many deliveries for one webhook: it keeps checking for changes and whether the receiver responds.

import { beforeEach, describe, expect, test } from 'vitest';
import { webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { operate, useForFile } from '../harness.ts';
import { writeEvents } from '../stage.ts';
import { waitFor } from '../wait-for.ts';
import { answering, silent } from './test-receiver.ts';
import {
  buy,
  deliveriesOf,
  type HookedApp,
  nextHookedApp,
  openJob,
  openPatientJob,
  ownMachine,
  receivedOf,
  startWebhookStage,
  type Told,
} from './webhook-stage.ts';

/** Far more than a server delivers between two polls. */
const many = 1_500;

let app: HookedApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
});

const receivedOrders = () => receivedOf(stage, app).map(({ body }) => body.order as number);
const anyReceived = () => waitFor(() => receivedOrders().length > 0, { deadlineMs: 10_000, what: 'a call' });

/** Writes independent events. */
const write = (count: number) => writeEvents(stage.server, app, count);

async function setDisabled(disabled: boolean): Promise<void> {
  const { status } = await operate(stage.server, 'PATCH', `/apps/${app.packageName}`, { body: { disabled } });
  expect(status).toBe(200);
}

/** An attempt that a busy machine ends at its timeout would be repeated later. */
async function expectRestOnce(before: number): Promise<void> {
  expect(before).toBeLessThan(many);
  await using patient = openPatientJob(stage.server);
  await patient.job.runOnce();
  const orders = new Set(receivedOrders());
  expect([orders.size, receivedOrders().length]).toEqual([many, many]);
}

describe('a long run of deliveries', () => {
  test('an app that is disabled during a run gets no more deliveries, and the rest when it is enabled', async () => {
    await write(many);
    await using patient = openPatientJob(stage.server);
    const running = patient.job.runOnce();
    await anyReceived();
    await setDisabled(true);
    await running;
    const before = receivedOrders().length;
    await stage.job.runOnce();
    expect(receivedOrders()).toHaveLength(before);
    await setDisabled(false);
    await expectRestOnce(before);
  });

  test('a stop starts no further attempts, and the sent ones are recorded', async () => {
    await write(many);
    await using other = openPatientJob(stage.server);
    const running = other.job.runOnce();
    await anyReceived();
    await other.job.stop();
    await running;
    await expectRestOnce(receivedOrders().length);
  });

  test('a new event is delivered while another one is in flight, which is waiting without an attempt', async () => {
    const first = Promise.withResolvers<void>();
    stage.receiver.react(({ body }) => {
      if (body.order > 1) return answering(204);
      return (response) => void first.promise.then(() => response.writeHead(204).end());
    });
    await buy(stage, app, 'P-1');
    await using patient = openPatientJob(stage.server);
    const running = patient.job.runOnce();
    await anyReceived();
    await buy(stage, app, 'P-2');
    await waitFor(() => receivedOrders().length === 2, { deadlineMs: 10_000, what: 'the other event' });
    expect((await deliveriesOf(stage, app))[0]).toMatchObject({ state: 'waiting', attempts: [] });
    first.resolve();
    await running;
    expect(receivedOrders()).toEqual([1, 2]);
    expect(await deliveriesOf(stage, app)).toMatchObject([
      { state: 'delivered', attempts: [{ httpStatus: 204 }] },
      { state: 'delivered' },
    ]);
  });
});

test('a receiver that does not respond has one attempt at a time after the first ones', async () => {
  const told: Told = { ends: [], logLines: [], oldestSeconds: 0 };
  const endsBefore: number[] = [];
  stage.receiver.react(() => {
    endsBefore.push(told.ends.length);
    return silent;
  });
  for (let n = 1; n <= 12; n += 1) await buy(stage, app, `P-${n}`);
  const sender = webhookSender(ownMachine, { timeoutMs: 300 });
  await using delivering = openJob(stage.server, told, { sender });
  await delivering.job.runOnce();
  expect(told.ends).toEqual(Array(12).fill('failed'));
  expect(endsBefore.slice(0, 8)).toEqual(Array(8).fill(0));
  for (const [index, ends] of endsBefore.entries()) {
    if (index >= 8) expect(ends).toBeGreaterThanOrEqual(index);
  }
});
