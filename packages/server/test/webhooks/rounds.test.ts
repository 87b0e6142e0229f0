// The rounds of a server: changes between them, a receiver that is away, and an event that cannot be sent.

import { beforeEach, describe, expect, test } from 'vitest';
import { webhookLeaseMs } from '../../src/domain/clocks/leases.ts';
import { webhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { operate, useForFile } from '../harness.ts';
import { writeEvents } from '../stage.ts';
import { waitFor } from '../wait-for.ts';
import {
  deliveriesOf,
  type HookedApp,
  nextHookedApp,
  openJob,
  ownMachine,
  receivedOf,
  startWebhookStage,
  statesOf,
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
const anyReceived = () => waitFor(() => receivedOrders().length > 0, { what: 'a call' });

/** Writes independent events. */
const write = (count: number) => writeEvents(stage.server, app, count);

async function setDisabled(disabled: boolean): Promise<void> {
  const { status } = await operate(stage.server, 'PATCH', `/apps/${app.packageName}`, { body: { disabled } });
  expect(status).toBe(200);
}

/** An attempt that a busy machine ends at its timeout would be repeated later. */
async function expectRestOnce(before: number): Promise<void> {
  expect(before).toBeLessThan(many);
  await using patient = openJob(stage.server);
  await patient.job.runOnce();
  const orders = new Set(receivedOrders());
  expect([orders.size, receivedOrders().length]).toEqual([many, many]);
}

describe('a long run of deliveries', () => {
  test('an app that is disabled during a run gets no more deliveries, and the rest when it is enabled', async () => {
    await write(many);
    await using patient = openJob(stage.server);
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
});

test('an event that cannot be sent delays no other, and is tried again when the lease has ended', async () => {
  await write(5);
  const sender = webhookSender(ownMachine);
  let isBroken = true;
  const told: Told = { ends: [], logLines: [] };
  await using faulty = openJob(stage.server, told, {
    sender: {
      ...sender,
      send: async (request) => {
        if (isBroken && JSON.parse(request.body).order === 2) throw new Error('a bug');
        return sender.send(request);
      },
    },
  });
  await faulty.job.runOnce();
  await faulty.job.runOnce();
  expect((await deliveriesOf(stage, app)).map(({ order }) => order)).toEqual([1, 3, 4, 5]);
  expect(told.logLines).toHaveLength(1);
  isBroken = false;
  await stage.server.clock.advance(webhookLeaseMs);
  await faulty.job.runOnce();
  expect(receivedOrders().toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(await statesOf(stage, app)).toEqual(Array(5).fill('delivered'));
});
