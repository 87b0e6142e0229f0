// Operations during an attempt or another call: neither undoes the other.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { freeze } from '../app-clock/clock-calls.ts';
import { useForFile } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { waitFor } from '../wait-for.ts';
import { answering, type Reaction } from './test-receiver.ts';
import {
  buy,
  deliveriesOf,
  type HookedApp,
  nextHookedApp,
  receivedOf,
  startWebhookStage,
  statesOf,
} from './webhook-stage.ts';

const { deleteWebhook, putWebhook, reset } = sandboxApi;

let app: HookedApp;
/** Pending responses. */
const heldBack: ((status: number) => void)[] = [];

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
  await freeze(stage.server, app);
});

const holdingBack: Reaction = (response) => {
  heldBack.push((status) => void response.writeHead(status).end());
};
const untilHeldBack = () => waitFor(() => heldBack.pop(), { what: 'an attempt' });
const purchaseIds = () => receivedOf(stage, app).map(({ body }) => body.purchaseId);

describe('changes during the first attempt', () => {
  let release: (status: number) => void;
  let running: Promise<void>;

  beforeEach(async () => {
    stage.receiver.react(() => holdingBack);
    await buy(stage, app, 'P-1');
    running = stage.job.runOnce();
    release = await untilHeldBack();
    stage.receiver.react(() => answering(204));
  });

  test.each([500, 204])('a reset during an attempt that ends with %i leaves no delivery', async (status) => {
    expect((await callSandbox(stage.server, reset, { key: app.token })).status).toBe(204);
    release(status);
    await running;
    expect(await deliveriesOf(stage, app)).toEqual([]);
    await buy(stage, app, 'P-2');
    await stage.job.runOnce();
    expect(purchaseIds()).toEqual(['P-1', 'P-2']);
    expect(await deliveriesOf(stage, app)).toMatchObject([{ order: 2, state: 'delivered' }]);
  });

  test('a webhook that is deleted and created again during an attempt has no old deliveries', async () => {
    await callSandbox(stage.server, deleteWebhook, { key: app.token });
    const body = { url: stage.receiver.url };
    expect((await callSandbox(stage.server, putWebhook, { key: app.token, body })).status).toBe(201);
    release(500);
    await running;
    expect((await statesOf(stage, app)).filter((state) => state !== 'dead')).toEqual([]);
    await buy(stage, app, 'P-2');
    await stage.job.runOnce();
    expect(purchaseIds()).toEqual(['P-1', 'P-2']);
  });
});
