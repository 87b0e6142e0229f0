// What operators and developers see of webhooks and their deliveries.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { getDelivery } from '@opentill/contract/operator-api/getDelivery.ts';
import { listWebhooks } from '@opentill/contract/operator-api/listWebhooks.ts';
import type { WebhookSummary } from '@opentill/contract/webhooks.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  operatorOf,
  type TestApp,
  testNow,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { responding } from '../../../../test/support/webhooks/test-receiver.ts';
import {
  buy,
  deliveriesOf,
  nextHookedApp,
  receivedOf,
  startWebhookStage,
} from '../../../../test/support/webhooks/webhook-stage.ts';
import { advance, freeze } from '../app-clock/clock-calls.ts';

let app: TestApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  app = await nextHookedApp(stage);
  await freeze(stage.server, app);
});

const read = (deliveryId: string, { packageName }: TestApp = app) =>
  callOperator(stage.server, getDelivery, { path: { packageName, deliveryId } });

describe('getDelivery', () => {
  test('getDelivery returns the body and the headers that the receiver got, without the signature', async () => {
    stage.receiver.react(() => responding(500, 'out of order'));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const [delivery] = await deliveriesOf(stage, app);
    const [received] = receivedOf(stage, app);
    const { body } = await read(delivery?.id ?? '');
    expect(body).toEqual({
      ...delivery,
      cause: { kind: 'retried', text: 'Attempt 1 got HTTP 500. It is retried.', attempt: 1 },
      request: {
        headers: {
          'content-type': 'application/json',
          'user-agent': received?.headers['user-agent'],
          'webhook-id': received?.headers['webhook-id'],
          'webhook-timestamp': received?.headers['webhook-timestamp'],
        },
        body: received?.text,
      },
    });
    expect(body.attempts).toMatchObject([{ httpStatus: 500, response: 'out of order' }]);
    const path = { deliveryId: body.id };
    const own = await callDeveloper(stage.server, developerApi.getDelivery, { key: app.token, path });
    expect(own.body).toEqual(body);
  });

  test('getDelivery names the delivery that a held one waits for, until it is delivered', async () => {
    stage.receiver.react(() => responding(500));
    await buy(stage, app, 'P-1');
    await voidTestPurchase(stage.server, app, 'P-1');
    await stage.job.runOnce();
    const [first, second] = await deliveriesOf(stage, app);
    expect((await read(first?.id ?? '')).body.heldBehind).toBeUndefined();
    expect((await read(second?.id ?? '')).body).toMatchObject({
      state: 'held',
      attempts: [],
      heldBehind: { id: first?.id, order: 1 },
      cause: { kind: 'heldBehind', deliveryId: first?.id },
    });
    stage.receiver.react(() => responding(204));
    await advance(stage.server, app, { by: 'PT5S' });
    await stage.job.runOnce();
    await stage.job.runOnce();
    const delivered = (await read(second?.id ?? '')).body;
    expect(delivered).toMatchObject({ state: 'delivered', deliveredTime: testNow + 5_000 });
    expect(delivered.heldBehind).toBeUndefined();
  });

  test('getDelivery returns 404 for an unattempted event, another id at its order, and a delivery of another app', async () => {
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const id = (await deliveriesOf(stage, app))[0]?.id ?? '';
    const other = await createTestApp(stage.server, stage.nextPackageName());
    const altered = id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const [deliveryId, at] of [
      [altered, app],
      [id.replace('_1_', '_2_'), app],
      ['1', app],
      [id, other],
    ] as const) {
      expect((await read(deliveryId, at)).status).toBe(404);
    }
    expect((await read(id)).status).toBe(200);
  });
});

test('listWebhooks counts the deliveries of each state, and names the oldest and the latest attempted event', async () => {
  stage.receiver.react(() => responding(500));
  await buy(stage, app, 'P-1');
  await voidTestPurchase(stage.server, app, 'P-1');
  await stage.job.runOnce();
  await advance(stage.server, app, { by: 'PT3S' });
  const [attempted] = await deliveriesOf(stage, app);
  expect(await summaryOf(app)).toMatchObject({
    packageName: app.packageName,
    disabled: false,
    failing: true,
    origin: new URL(stage.receiver.url).origin,
    waiting: 1,
    held: 1,
    dead: 0,
    oldest: { eventTime: testNow, waitedMs: 3_000 },
    last: { id: attempted?.id, state: 'waiting', attempt: { httpStatus: 500 } },
  });
  await advance(stage.server, app, { by: 'P3D' });
  await stage.job.runOnce();
  expect(await summaryOf(app)).toMatchObject({ waiting: 1, held: 0, dead: 1 });
});

async function summaryOf({ packageName }: { readonly packageName: string }) {
  const query = { pageSize: 200 };
  const { body } = await callOperator(stage.server, listWebhooks, { query });
  return (body.webhooks as WebhookSummary[]).find((webhook) => webhook.packageName === packageName);
}

test('a delivery posts the event as the feed shows it and stores the response', async () => {
  stage.receiver.react(() => responding(200, 'thanks'));
  await buy(stage, app, 'P-1');
  await stage.job.runOnce();
  const [call] = receivedOf(stage, app);
  const { events } = await operatorOf(stage.server).listEvents({ packageName: app.packageName });
  expect(receivedOf(stage, app).map(({ body }) => body)).toEqual(events);
  const { id, order, type, eventTime, purchaseId } = call?.body ?? {};
  expect(call?.headers['webhook-id']).toBe(id);
  const responded = {
    httpStatus: 200,
    latencyMs: expect.any(Number),
    response: 'thanks',
    isResponseCut: false,
  };
  const now = stage.server.clock.now();
  const attempts = [{ time: now, appTime: testNow, ...responded }];
  expect(await deliveriesOf(stage, app)).toEqual([
    { id, order, type, eventTime, purchaseId, state: 'delivered', attempts },
  ]);
});

test('the deliveries of one purchase are listed, newest first and by state, page by page', async () => {
  for (const id of ['P-1', 'P-2']) {
    await buy(stage, app, id);
    await voidTestPurchase(stage.server, app, id);
  }
  stage.receiver.react(({ body }) => responding(body.type === 'purchase.voided' ? 500 : 204));
  await stage.job.runOnce();
  const ofPurchase = async (query: Readonly<Record<string, string>> = {}) =>
    (await deliveriesOf(stage, app, { purchaseId: 'P-2', ...query })).map(({ type }) => type);
  expect(await ofPurchase()).toEqual(['purchase.completed', 'purchase.voided']);
  expect(await ofPurchase({ state: 'waiting' })).toEqual(['purchase.voided']);
  expect(await ofPurchase({ state: 'dead' })).toEqual([]);
  const query = { purchaseId: 'P-2', pageSize: 1 };
  const first = await callDeveloper(stage.server, developerApi.listDeliveries, { key: app.token, query });
  expect(first.body.deliveries).toMatchObject([{ purchaseId: 'P-2', type: 'purchase.voided' }]);
  const { nextPageToken: pageToken } = first.body;
  expect(await ofPurchase({ pageToken })).toEqual(['purchase.completed']);
  expect(await deliveriesOf(stage, app, { purchaseId: 'none' })).toEqual([]);
});
