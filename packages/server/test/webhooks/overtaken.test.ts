// Operations during an attempt or another call: neither undoes the other.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { openSecondConnection, waitedFor } from '../attack/second-connection.ts';
import { useForFile } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
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

const { deleteWebhook, putWebhook, redeliver, reset, rotateWebhookSecret } = sandboxApi;

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
test('a redelivery requested during a failing last attempt starts a new schedule at once', async () => {
  stage.receiver.react((_, nth) => (nth === 2 ? holdingBack : answering(nth === 1 ? 500 : 204)));
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  await advance(stage.server, app, { by: 'P3D' });
  const running = stage.job.runOnce();
  const release = await untilHeldBack();
  const deliveryId = (await deliveriesOf(stage, app))[0]?.id ?? '';
  const again = await callSandbox(stage.server, redeliver, { key: app.token, path: { deliveryId } });
  expect(again.body).toMatchObject({ state: 'waiting' });
  release(500);
  await running;
  await stage.job.runOnce();
  expect(await deliveriesOf(stage, app)).toMatchObject([
    { state: 'delivered', attempts: [{ httpStatus: 500 }, { httpStatus: 500 }, { httpStatus: 204 }] },
  ]);
});

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

  test('a new URL and a new secret apply from the next attempt', async () => {
    const body = { url: `${stage.receiver.url}/other` };
    await callSandbox(stage.server, putWebhook, { key: app.token, body });
    await callSandbox(stage.server, rotateWebhookSecret, { key: app.token, body: {} });
    release(500);
    await running;
    await advance(stage.server, app, { by: 'PT5S' });
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['delivered']);
    const [first, second] = receivedOf(stage, app);
    expect([first?.path, second?.path]).toEqual(['/hooks', '/hooks/other']);
    const signatures = [first, second].map((call) => call?.headers['webhook-signature']?.split(' ').length);
    expect(signatures).toEqual([1, 2]);
  });
});

test('an event that fails while an earlier one of its purchase is redelivered waits for that one', async () => {
  stage.receiver.react(({ body }, nth) =>
    body.order === 1 ? answering(nth === 1 ? 410 : 500) : holdingBack,
  );
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  await voidTestPurchase(stage.server, app, 'P-1');
  const running = stage.job.runOnce();
  const release = await untilHeldBack();
  const deliveryId = (await deliveriesOf(stage, app))[0]?.id ?? '';
  await callSandbox(stage.server, redeliver, { key: app.token, path: { deliveryId } });
  release(500);
  await running;
  expect(receivedOf(stage, app).map(({ body }) => body.order)).toEqual([1, 2, 1]);
  expect(await statesOf(stage, app)).toEqual(['waiting', 'held']);
});

test('redelivering a delivery that a reset removes is answered with 404', async () => {
  stage.receiver.react(() => answering(204));
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  const deliveryId = (await deliveriesOf(stage, app))[0]?.id ?? '';
  // A reset that found no webhook, since this one was created in the meantime.
  await using second = await openSecondConnection(stage.server.connection);
  await second.run('delete from webhook_delivery where package_name = $1', [app.packageName]);
  const again = callSandbox(stage.server, redeliver, { key: app.token, path: { deliveryId } });
  await waitedFor(second, again);
  await second.commit();
  expect((await again).status).toBe(404);
});
