// Deliveries to a receiver: every event of its app once, signed, in order for each purchase.

import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { recordTestPurchase, useForFile } from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { tryConsume, voidTestPurchase } from '../purchase-changes.ts';
import { answering } from './test-receiver.ts';
import {
  buy,
  deliveriesOf,
  type HookedApp,
  nextHookedApp,
  receivedOf,
  startWebhookStage,
} from './webhook-stage.ts';

const { listDeliveries } = sandboxApi;

let app: HookedApp;

const stage = await useForFile(startWebhookStage());
// The library verifies signatures against the machine's clock.
vi.setSystemTime(stage.server.clock.now());
afterAll(() => void vi.useRealTimers());

beforeEach(async () => {
  app = await nextHookedApp(stage);
});

describe('deliveries', () => {
  test('a delivery posts the event as the feed shows it and stores the response', async () => {
    stage.receiver.react(() => answering(200, 'thanks'));
    await buy(stage, app, 'P-1');
    await stage.job.runOnce();
    const [call] = receivedOf(stage, app);
    expect(receivedOf(stage, app)).toHaveLength(1);
    expect(call?.body).toMatchObject({
      type: 'purchase.completed',
      order: 1,
      packageName: app.packageName,
      purchaseId: 'P-1',
      record: { purchaseState: 0, consumptionState: 0 },
    });
    expect(call?.headers['webhook-id']).toBe(call?.body.id);
    const now = stage.server.clock.now();
    expect(await deliveriesOf(stage, app)).toEqual([
      {
        id: call?.body.id,
        order: 1,
        type: 'purchase.completed',
        eventTime: now,
        purchaseId: 'P-1',
        state: 'delivered',
        attempts: [
          {
            time: now,
            appTime: now,
            httpStatus: 200,
            latencyMs: expect.any(Number),
            answer: 'thanks',
            isAnswerCut: false,
          },
        ],
      },
    ]);
  });
});

test('the deliveries of one purchase are listed, newest first and by state, page by page', async () => {
  for (const id of ['P-1', 'P-2']) {
    await buy(stage, app, id);
    await voidTestPurchase(stage.server, app, id);
  }
  stage.receiver.react(({ body }) => answering(body.type === 'purchase.voided' ? 500 : 204));
  await stage.job.runOnce();
  const ofPurchase = async (query: Readonly<Record<string, string>> = {}) =>
    (await deliveriesOf(stage, app, { purchaseId: 'P-2', ...query })).map(({ type }) => type);
  expect(await ofPurchase()).toEqual(['purchase.completed', 'purchase.voided']);
  expect(await ofPurchase({ state: 'waiting' })).toEqual(['purchase.voided']);
  expect(await ofPurchase({ state: 'dead' })).toEqual([]);
  const first = await callSandbox(stage.server, listDeliveries, {
    key: app.token,
    query: { purchaseId: 'P-2', pageSize: 1 },
  });
  expect(first.body.deliveries).toMatchObject([{ purchaseId: 'P-2', type: 'purchase.voided' }]);
  const { nextPageToken: pageToken } = first.body;
  expect(await ofPurchase({ pageToken })).toEqual(['purchase.completed']);
  expect(await deliveriesOf(stage, app, { purchaseId: 'none' })).toEqual([]);
});

describe('order of deliveries', () => {
  test('the events of a purchase are delivered in order, interleaved with those of other purchases', async () => {
    for (const id of ['P-1', 'P-2']) {
      await buy(stage, app, id);
      await tryConsume(stage.server, app, id);
      await voidTestPurchase(stage.server, app, id);
    }
    await recordTestPurchase(stage.server, app, { productId: 'monthly', purchaseId: 'S-1' });
    await stage.job.runOnce();
    const told = (id: string) =>
      receivedOf(stage, app)
        .filter(({ body }) => body.purchaseId === id)
        .map(({ body }) => body.type);
    const life = ['purchase.completed', 'purchase.consumed', 'purchase.voided'];
    expect([told('P-1'), told('P-2'), told('S-1')]).toEqual([life, life, ['subscription.started']]);
  });
});
