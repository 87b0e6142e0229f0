// Manual redelivery of failed or lost deliveries, and operations during an attempt: neither undoes the other.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import { type TestApp, testNow, useForFile } from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { responding } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  buy,
  deliveriesOf,
  nextHookedApp,
  receivedOf,
  startWebhookStage,
  statesOf,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';

const { deleteWebhook, putWebhook, redeliver, redeliverFailed, reset } = developerApi;

let app: TestApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
  await freeze(stage.server, app);
});

const orders = () => receivedOf(stage, app).map(({ body }) => body.order);
const again = (deliveryId: string) =>
  callDeveloper(stage.server, redeliver, { key: app.token, path: { deliveryId } });
const againSince = (since: number) =>
  callDeveloper(stage.server, redeliverFailed, { key: app.token, body: { since } });
const idOf = async (order: number) =>
  (await deliveriesOf(stage, app)).find((delivery) => delivery.order === order)?.id ?? '';

/** Makes every waiting delivery dead. */
async function letDie(): Promise<void> {
  await advance(stage.server, app, { by: 'P3D' });
  await stage.job.runOnce();
}

describe('redeliver', () => {
  test('redeliver sends a delivered event again with the same id and body', async () => {
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const response = await again(await idOf(1));
    expect(response.body).toMatchObject({
      state: 'waiting',
      dueTime: testNow,
      attempts: [{ httpStatus: 204 }],
    });
    await stage.job.runOnce();
    const [first, second] = receivedOf(stage, app);
    expect(second).toMatchObject({ id: first?.id, text: first?.text });
    expect(await deliveriesOf(stage, app)).toMatchObject([
      { state: 'delivered', attempts: [{ httpStatus: 204 }, { httpStatus: 204 }] },
    ]);
  });

  test('redeliver makes the next attempt of a waiting delivery at once and rejects a held one with 409', async () => {
    stage.receiver.react(({ body }, nth) => responding(body.order === 1 && nth === 1 ? 500 : 204));
    await buy(stage, app, 'P-1');
    await voidTestPurchase(stage.server, app, 'P-1');
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['waiting', 'held']);
    const refused = await again(await idOf(2));
    expect(refused.status).toBe(409);
    await again(await idOf(1));
    await stage.job.runOnce();
    expect(orders()).toEqual([1, 1, 2]);
  });
});

test('redeliverFailed restarts all failed deliveries since an instant, in order for each purchase', async () => {
  stage.receiver.react(() => responding(500));
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  await letDie();
  const since = testNow + 3 * 86_400_000;
  await buy(stage, app, 'P-2');
  await voidTestPurchase(stage.server, app, 'P-2');
  await buy(stage, app, 'P-3');
  await stage.job.runOnce();
  await letDie();
  // A held delivery is released when the one before it dies.
  await letDie();
  await buy(stage, app, 'P-4');
  await stage.job.runOnce();
  expect(await statesOf(stage, app)).toEqual(['dead', 'dead', 'dead', 'dead', 'waiting']);
  const before = orders().length;
  stage.receiver.react(() => responding(204));
  expect((await againSince(since)).body).toEqual({ count: 4 });
  await stage.job.runOnce();
  const redelivered = orders().slice(before);
  expect(redelivered.toSorted()).toEqual([2, 3, 4, 5]);
  expect(redelivered.filter((order) => order <= 3)).toEqual([2, 3]);
  expect(await statesOf(stage, app)).toEqual(['dead', 'delivered', 'delivered', 'delivered', 'delivered']);
  expect((await againSince(since)).body).toEqual({ count: 0 });
});

const purchaseIds = () => receivedOf(stage, app).map(({ body }) => body.purchaseId);

describe('changes during the first attempt', () => {
  let release: (status: number) => void;
  let running: Promise<void>;

  beforeEach(async () => {
    const status = Promise.withResolvers<number>();
    release = status.resolve;
    stage.receiver.react(() => async (response) => void response.writeHead(await status.promise).end());
    await buy(stage, app, 'P-1');
    running = stage.job.runOnce();
    await waitFor(() => purchaseIds().length === 1, { what: 'an attempt' });
    stage.receiver.react(() => responding(204));
  });

  test.each([500, 204])('a reset during an attempt that ends with %i leaves no delivery', async (status) => {
    expect((await callDeveloper(stage.server, reset, { key: app.token })).status).toBe(204);
    release(status);
    await running;
    expect(await deliveriesOf(stage, app)).toEqual([]);
    await buy(stage, app, 'P-2');
    await stage.job.runOnce();
    expect(purchaseIds()).toEqual(['P-1', 'P-2']);
    expect(await deliveriesOf(stage, app)).toMatchObject([{ order: 2, state: 'delivered' }]);
  });

  test('a webhook that is deleted and created again during an attempt has no old deliveries', async () => {
    await callDeveloper(stage.server, deleteWebhook, { key: app.token });
    const body = { url: stage.receiver.url };
    expect((await callDeveloper(stage.server, putWebhook, { key: app.token, body })).status).toBe(201);
    release(500);
    await running;
    expect((await statesOf(stage, app)).filter((state) => state !== 'dead')).toEqual([]);
    await buy(stage, app, 'P-2');
    await stage.job.runOnce();
    expect(purchaseIds()).toEqual(['P-1', 'P-2']);
  });
});
