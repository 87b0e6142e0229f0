// The list of deliveries, and manual redelivery of failed or lost ones.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { keptAttemptsMax } from '@opentill/contract/webhooks.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { advance, freeze } from '../app-clock/clock-calls.ts';
import { query } from '../embedded/scratch.ts';
import { testNow, useForFile } from '../harness.ts';
import { callSandbox, everyPage } from '../operator-api/checked-call.ts';
import { voidTestPurchase } from '../purchase-changes.ts';
import { answering } from './test-receiver.ts';
import {
  buy,
  deliveriesOf,
  type HookedApp,
  nextHookedApp,
  receivedOf,
  startWebhookStage,
  statesOf,
} from './webhook-stage.ts';

const { listDeliveries, redeliver, redeliverFailed } = sandboxApi;

let app: HookedApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
  await freeze(stage.server, app);
});

const orders = () => receivedOf(stage, app).map(({ body }) => body.order);
const again = (deliveryId: string) =>
  callSandbox(stage.server, redeliver, { key: app.token, path: { deliveryId } });
const againSince = (since: number) =>
  callSandbox(stage.server, redeliverFailed, { key: app.token, body: { since } });
const idOf = async (order: number) =>
  (await deliveriesOf(stage, app)).find((delivery) => delivery.order === order)?.id ?? '';

/** Makes every waiting delivery dead. */
async function letDie(): Promise<void> {
  await advance(stage.server, app, { by: 'P3D' });
  await stage.job.runOnce();
}

describe('listDeliveries', () => {
  test('listDeliveries is paged, newest first, and can be filtered by state', async () => {
    stage.receiver.react(({ body }) => answering(body.order % 2 === 0 ? 500 : 204));
    for (const n of [1, 2, 3, 4, 5]) await buy(stage, app, `P-${n}`);
    await stage.job.runOnce();
    const pages = await everyPage((page) =>
      callSandbox(stage.server, listDeliveries, { key: app.token, query: { ...page, pageSize: 2 } }),
    );
    const seen = pages.flatMap(({ deliveries }) => deliveries.map(({ order }: { order: number }) => order));
    expect(seen).toEqual([5, 4, 3, 2, 1]);
    const ordersIn = async (state: string) =>
      (await deliveriesOf(stage, app, { state })).map(({ order }) => order);
    expect(await ordersIn('delivered')).toEqual([1, 3, 5]);
    expect(await ordersIn('waiting')).toEqual([2, 4]);
    expect(await ordersIn('held')).toEqual([]);
    await letDie();
    expect(await ordersIn('dead')).toEqual([2, 4]);
  });
});

describe('redeliver', () => {
  test('redeliver sends a delivered event again with the same id and body', async () => {
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const answer = await again(await idOf(1));
    expect(answer.body).toMatchObject({
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

  test('redeliver restarts the schedule of a dead delivery', async () => {
    stage.receiver.react(() => answering(500));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    await letDie();
    expect(await statesOf(stage, app)).toEqual(['dead']);
    await again(await idOf(1));
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['waiting']);
    await advance(stage.server, app, { by: 'PT5S' });
    stage.receiver.react(() => answering(204));
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['delivered']);
    expect(orders()).toEqual([1, 1, 1, 1]);
  });

  test('a failing redelivery of a delivered event does not hold later events', async () => {
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    stage.receiver.react(({ body }) => answering(body.order === 1 ? 500 : 204));
    await again(await idOf(1));
    await voidTestPurchase(stage.server, app, 'P-1');
    await stage.job.runOnce();
    expect(await statesOf(stage, app)).toEqual(['waiting', 'delivered']);
  });

  test('redeliver makes the next attempt of a waiting delivery at once and rejects a held one with 409', async () => {
    stage.receiver.react(({ body }, nth) => answering(body.order === 1 && nth === 1 ? 500 : 204));
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

  test('a delivery retains its last 20 attempts', async () => {
    const answers = Array.from({ length: 22 }, (_, index) => `answer ${index + 1}`);
    stage.receiver.react((_, nth) => answering(200, answers[nth - 1]));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const deliveryId = await idOf(1);
    for (const _ of answers.slice(1)) {
      await again(deliveryId);
      await stage.job.runOnce();
    }
    const [delivery] = await deliveriesOf(stage, app);
    expect(delivery?.attempts.map(({ answer }) => answer)).toEqual(answers.slice(-keptAttemptsMax));
    // The next one has no attempt, since its event was removed.
    await query(stage.server.connection, `delete from event where package_name = '${app.packageName}'`);
    await again(deliveryId);
    await stage.job.runOnce();
    const last = (await deliveriesOf(stage, app))[0]?.attempts;
    expect(last?.map(({ answer }) => answer)).toEqual([...answers.slice(-keptAttemptsMax + 1), '']);
    expect(last?.at(-1)?.failure).toBe('eventRemoved');
  });

  test('redeliver answers 404 for an id that is not of the app', async () => {
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const id = await idOf(1);
    const other = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of [other, id.replace('evt_1', 'evt_2'), 'evt_1', '1']) {
      expect((await again(wrong)).status).toBe(404);
    }
    expect((await again(id)).status).toBe(200);
  });
});

describe('redeliverFailed', () => {
  test('redeliverFailed restarts all failed deliveries since an instant, in order for each purchase', async () => {
    stage.receiver.react(() => answering(500));
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
    stage.receiver.react(() => answering(204));
    expect((await againSince(since)).body).toEqual({ count: 4 });
    await stage.job.runOnce();
    const redelivered = orders().slice(before);
    expect(redelivered.toSorted()).toEqual([2, 3, 4, 5]);
    expect(redelivered.filter((order) => order <= 3)).toEqual([2, 3]);
    expect(await statesOf(stage, app)).toEqual(['dead', 'delivered', 'delivered', 'delivered', 'delivered']);
    expect((await againSince(since)).body).toEqual({ count: 0 });
  });

  test('redeliverFailed puts a delivery back behind the earlier one whose death released it', async () => {
    stage.receiver.react(() => answering(500));
    await buy(stage, app, 'P-1');
    await voidTestPurchase(stage.server, app, 'P-1');
    await stage.job.runOnce();
    await letDie();
    expect(await statesOf(stage, app)).toEqual(['dead', 'waiting']);
    await againSince(testNow);
    expect(await statesOf(stage, app)).toEqual(['waiting', 'held']);
    stage.receiver.react(() => answering(204));
    await stage.job.runOnce();
    expect(orders().slice(-2)).toEqual([1, 2]);
  });

  test('redeliverFailed includes waiting retries since the instant, and not first attempts', async () => {
    stage.receiver.react(() => answering(500));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    expect((await againSince(testNow + 1)).body).toEqual({ count: 0 });
    expect((await againSince(testNow)).body).toEqual({ count: 1 });
    expect((await againSince(testNow)).body).toEqual({ count: 0 });
    expect(await statesOf(stage, app)).toEqual(['waiting']);
  });

  test('redeliverFailed restarts thousands of deliveries in one call', async () => {
    stage.receiver.react(() => answering(500));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    await letDie();
    await query(
      stage.server.connection,
      `insert into webhook_delivery select package_name, event_order + n, event_id || n, event_type, event_time,
          'P-' || n, 'P-' || n, 'dead', null, schedule_start, schedule_attempts, null, attempts
        from webhook_delivery, generate_series(1, 2500) n where package_name = '${app.packageName}'`,
    );
    expect((await againSince(testNow)).body).toEqual({ count: 2501 });
    expect(await deliveriesOf(stage, app, { state: 'dead' })).toEqual([]);
  });
});
