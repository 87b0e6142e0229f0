// getSubscription, cancelSubscription and reactivateSubscription.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { reactivateSubscription } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import { afterEach, expect, test } from 'vitest';
import {
  createTestApp,
  operatorOf,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { openJob } from '../../../../test/support/webhooks/webhook-stage.ts';

const expiryTime = Date.UTC(2026, 3, 15, 12);

const server = await useTestServer();
const app = await createTestApp(server);
afterEach(async () => {
  await server.clock.set(testNow);
});

function start(purchaseId: string) {
  const purchase = { productId: 'monthly', purchaseId, buyerId: 'ann', developerPayload: 'p' };
  return recordTestPurchase(server, app, purchase);
}

function read(firstPurchaseId: string) {
  return callOperator(server, getSubscription, { path: { ...app, firstPurchaseId } });
}

function cancel(firstPurchaseId: string, body?: unknown) {
  const path = { ...app, firstPurchaseId };
  return callOperator(server, cancelSubscription, { path, body, key: supportKey });
}

function reactivate(firstPurchaseId: string) {
  return callOperator(server, reactivateSubscription, { path: { ...app, firstPurchaseId }, key: supportKey });
}

test('a new subscription shows its state, its terms and its first period', async () => {
  await start('new');
  const { status, body } = await read('new');
  expect(status).toBe(200);
  expect(body).toEqual({
    packageName: app.packageName,
    firstPurchaseId: 'new',
    productId: 'monthly',
    buyerId: 'ann',
    state: 'active',
    startTime: testNow,
    expiryTime,
    nextPaymentTime: expiryTime,
    autoRenewing: true,
    awaitsConsent: false,
    timeZone: 'UTC',
    period: 'P1M',
    price: 499,
    renewalPrice: 499,
    currency: 'EUR',
    developerPayload: 'p',
    lastPurchaseId: 'new',
    lastPeriodIndex: 0,
    periods: [
      { purchaseId: 'new', periodIndex: 0, startTime: testNow, expiryTime, price: 499, purchaseState: 0 },
    ],
    attempts: [],
    events: [expect.objectContaining({ type: 'subscription.started', purchaseId: 'new' })],
    now: testNow,
    cause: { kind: 'paid', text: 'Period 1 is paid, and auto-payment is on.', purchaseId: 'new' },
    voidedPeriods: [],
  });
});

test('a reactivation removes every trace of the cancel except who switched auto-payment last', async () => {
  await start('taken-back');
  const before = (await read('taken-back')).body;
  await cancel('taken-back');
  const { status, body } = await reactivate('taken-back');
  expect(status).toBe(200);
  const after = (await read('taken-back')).body;
  const autoPaymentChangedBy = 'operator:helpdesk';
  expect(after).toEqual({ ...before, autoPaymentChangedBy, events: after.events });
  expect(after).toMatchObject(body);
});

test('a change that the state does not allow returns 409 with the state and writes nothing', async () => {
  await start('refused');
  const early = await reactivate('refused');
  expect(early.status).toBe(409);
  expect(early.body.detail).toMatch(/\bactive\b/);
  const cancelled = (await cancel('refused')).body;
  expect(cancelled).toMatchObject({ cancelReason: 'customer', cancelledTime: testNow, expiryTime });
  await server.clock.advance(1000);
  const again = await cancel('refused');
  expect(again.status).toBe(409);
  expect(again.body.detail).toContain('autoPaymentOff');
  expect((await read('refused')).body).toMatchObject(cancelled);
});

test('each event has the reason of its call, its delivery to the webhook and the charge that it reports', async () => {
  const operator = operatorOf(server);
  const { packageName } = await createTestApp(server, 'com.example.history');
  const path = { packageName, firstPurchaseId: 's' };
  await operator.putWebhook({ packageName, url: 'https://hooks.invalid/' });
  await operator.putClock({ packageName, mode: 'frozen' });
  const faults = [{ operation: 'charge', outcome: 'declined', times: 1 }] as const;
  await operator.putFaults({ packageName, faults: [...faults] });
  const sale = { productId: 'monthly', purchaseId: 's', orderId: 'o', buyerId: 'ben' };
  await recordTestPurchase(server, { packageName }, sale);
  await operator.advanceClock({ packageName, by: 'P1MT1H' });
  const why = { reasonCode: 'customerRequest', note: 'called', ticket: 'T-1' } as const;
  await operator.cancelSubscription({ ...path, ...why });
  await using delivering = openJob(server);
  await delivering.job.runOnce();
  const { events, attempts, orderId } = await operator.getSubscription(path);
  const charge = (attempt: number) => ({ attempt: { periodIndex: 1, attempt } });
  const held = { delivery: { state: 'held', attempts: 0 } };
  expect(events.toReversed()).toMatchObject([
    { type: 'subscription.started', delivery: { state: 'waiting', attempts: 1, failure: 'nameNotFound' } },
    { type: 'subscription.payment_failed', ...charge(1), ...held },
    { type: 'subscription.renewed', ...charge(2), ...held },
    { type: 'subscription.auto_payment_cancelled', ...why, ...held },
  ]);
  expect([attempts.length, orderId]).toEqual([2, 'o']);
  const { purchaseId = '' } = events[0] ?? {};
  const { history } = await operator.getPurchase({ packageName, purchaseId });
  const ofPeriod = events.filter((event) => event.purchaseId === purchaseId).toReversed();
  expect(history).toEqual(
    ofPeriod.map(({ purchaseId: _, periodIndex: __, attempt: ___, ...event }) => event),
  );
  await operator.eraseBuyer({ buyerId: 'ben' });
  expect(await operator.getSubscription(path)).toMatchObject({ isErased: true, state: 'autoPaymentOff' });
});

test('only the first purchase id identifies a subscription, and any other returns 404', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'one-time' });
  for (const id of ['one-time', 'none']) {
    expect((await read(id)).status).toBe(404);
    expect((await cancel(id)).status).toBe(404);
    expect((await reactivate(id)).status).toBe(404);
  }
});
