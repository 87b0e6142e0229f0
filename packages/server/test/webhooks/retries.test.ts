// Retries of failed deliveries: their schedule, their clock and the order within a purchase.

import type { Delivery } from '@opentill/contract/webhooks.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  recordTestPurchase,
  requestToken,
  type TestApp,
  testNow,
  useForFile,
} from '../../../../test/support/harness.ts';
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

const secondMs = 1_000;
const dayMs = 86_400_000;

let app: TestApp;

const stage = await useForFile(startWebhookStage());

beforeEach(async () => {
  await stage.server.clock.set(testNow);
  app = await nextHookedApp(stage);
});

/** The received purchases and event types of the app, in order. */
const receivedEvents = () =>
  receivedOf(stage, app).map(({ body }) => `${body.purchaseId} ${body.type.split('.')[1]}`);

async function consume(purchaseId: string): Promise<void> {
  const { access_token: token } = (await requestToken(stage.server, app)).body;
  const { status } = await tryConsume(stage.server, { ...app, token }, purchaseId);
  expect(status).toBe(200);
}

async function onlyDelivery(): Promise<Delivery> {
  const deliveries = await deliveriesOf(stage, app);
  expect(deliveries).toHaveLength(1);
  return deliveries[0] as Delivery;
}

/** Delivers everything that is due by any clock. */
const deliver = () => stage.job.runOnce();

describe('failing deliveries', () => {
  test('a response 410 ends the retries of its delivery, and the next event of the purchase is sent', async () => {
    await buy(stage, app, 'P-1');
    await consume('P-1');
    stage.receiver.react(({ body }) => responding(body.type === 'purchase.completed' ? 410 : 204));
    await deliver();
    await deliver();
    expect(await statesOf(stage, app)).toEqual(['dead', 'delivered']);
    await stage.server.clock.set(testNow + 4 * dayMs);
    await deliver();
    expect(receivedEvents()).toEqual(['P-1 completed', 'P-1 consumed']);
  });

  test('a failed delivery is retried after 4 to 5 seconds with the same bytes, not before', async () => {
    stage.receiver.react((_, nth) => (nth === 1 ? redirecting : responding(204)));
    const attempt = { httpStatus: 301, location: 'https://www.store.example/hooks' };
    const redirecting = responding(attempt.httpStatus, '', { location: attempt.location });
    await buy(stage, app, 'P-1');
    await deliver();
    const { dueTime = 0, ...failed } = await onlyDelivery();
    expect(failed).toMatchObject({ state: 'waiting', attempts: [attempt] });
    expect(dueTime - testNow).toBeGreaterThanOrEqual(4 * secondMs);
    expect(dueTime - testNow).toBeLessThanOrEqual(5 * secondMs);
    await stage.server.clock.set(dueTime - 1);
    await deliver();
    expect(receivedOf(stage, app)).toHaveLength(1);
    await stage.server.clock.set(dueTime);
    await deliver();
    const [first, second] = receivedOf(stage, app);
    expect(second).toMatchObject({ id: first?.id, text: first?.text });
    const last = await onlyDelivery();
    expect(last).toMatchObject({
      state: 'delivered',
      attempts: [attempt, { httpStatus: 204, time: dueTime }],
    });
    expect(last).not.toHaveProperty('dueTime');
  });
});

describe('retries in the sandbox', () => {
  test('a frozen app clock stops retries, and an advance makes one more attempt of each due delivery', async () => {
    await freeze(stage.server, app);
    stage.receiver.react(() => responding(500));
    for (const id of ['P-1', 'P-2', 'P-3']) await buy(stage, app, id);
    await deliver();
    await stage.server.clock.advance(60 * secondMs);
    await deliver();
    expect(receivedOf(stage, app)).toHaveLength(3);
    await advance(stage.server, app, { by: 'PT5S' });
    await deliver();
    expect(receivedOf(stage, app)).toHaveLength(6);
    // All three days of the schedule have passed: one more attempt, which is the last.
    await advance(stage.server, app, { by: 'P1Y' });
    await deliver();
    await deliver();
    expect(receivedOf(stage, app)).toHaveLength(9);
    expect(await statesOf(stage, app)).toEqual(['dead', 'dead', 'dead']);
  });

  test('the signature has the real time, and the event and its attempts have the app time', async () => {
    await freeze(stage.server, app);
    await advance(stage.server, app, { by: 'P1Y' });
    await buy(stage, app, 'P-1');
    await deliver();
    const yearLater = Date.UTC(2027, 2, 15, 12);
    const [call] = receivedOf(stage, app);
    expect(call?.headers['webhook-timestamp']).toBe(String(testNow / 1000));
    expect(call?.body.eventTime).toBe(yearLater);
    expect((await onlyDelivery()).attempts).toMatchObject([{ time: testNow, appTime: yearLater }]);
  });
});

describe('held events', () => {
  test('an undelivered event holds later ones of its purchase only, until it is delivered', async () => {
    stage.receiver.react(({ body }, nth) => responding(body.order === 1 && nth === 1 ? 500 : 204));
    await buy(stage, app, 'P-1');
    await deliver();
    await consume('P-1');
    await buy(stage, app, 'P-2');
    await voidTestPurchase(stage.server, app, 'P-1');
    await consume('P-2');
    await deliver();
    expect(receivedEvents()).toEqual(['P-1 completed', 'P-2 completed', 'P-2 consumed']);
    expect(await statesOf(stage, app)).toEqual(['waiting', 'held', 'delivered', 'held', 'delivered']);
    await stage.server.clock.advance(5 * secondMs);
    await deliver();
    expect(receivedEvents().slice(3)).toEqual(['P-1 completed', 'P-1 consumed', 'P-1 voided']);
    expect(await statesOf(stage, app)).toEqual(Array.from({ length: 5 }, () => 'delivered'));
  });

  test('an undelivered event of a subscription holds the events of its renewals', async () => {
    await freeze(stage.server, app);
    stage.receiver.react(({ body }, nth) => responding(body.order === 1 && nth < 3 ? 500 : 204));
    const purchaseTime = Date.UTC(2026, 1, 16, 12);
    await recordTestPurchase(stage.server, app, { productId: 'monthly', purchaseId: 'S-1', purchaseTime });
    await deliver();
    await advance(stage.server, app, { by: 'P1D' });
    await deliver();
    expect(await statesOf(stage, app)).toEqual(['waiting', 'held']);
    await advance(stage.server, app, { by: 'PT30S' });
    await deliver();
    expect(receivedOf(stage, app).map(({ body }) => body.order)).toEqual([1, 1, 1, 2]);
    const { body } = receivedOf(stage, app).at(-1) ?? {};
    expect(body).toMatchObject({ type: 'subscription.renewed', firstPurchaseId: 'S-1' });
    expect(body.purchaseId).not.toBe('S-1');
  });
});
