// getSubscription, cancelSubscription and reactivateSubscription.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { reactivateSubscription } from '@opentill/contract/operator-api/reactivateSubscription.ts';
import { afterEach, expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, supportKey, testNow, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';

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

test('a new subscription shows its state, its terms and its first month', async () => {
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
    timeZone: 'UTC',
    period: 'P1M',
    price: 499,
    renewalPrice: 499,
    currency: 'EUR',
    developerPayload: 'p',
    lastPurchaseId: 'new',
    lastPeriodIndex: 0,
    months: [
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
  expect(again.body.detail).toContain('auto_payment_off');
  expect((await read('refused')).body).toMatchObject(cancelled);
});

test('only the first purchase id identifies a subscription, and any other returns 404', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'one-time' });
  for (const id of ['one-time', 'none']) {
    expect((await read(id)).status).toBe(404);
    expect((await cancel(id)).status).toBe(404);
    expect((await reactivate(id)).status).toBe(404);
  }
});
