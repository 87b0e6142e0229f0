// Whole use cases of the clients on a real server: a backend, a store, and the test of a backend. Each response is
// checked against the contract.

import { sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SandboxClient } from '../src/sandbox-client.ts';
import type { VoidedStep } from '../src/voided-walk.ts';
import { type ClientStage, errorOf, startClientStage } from './client-stage.ts';

let stage: ClientStage;
beforeAll(async () => {
  stage = await startClientStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

test('a backend can deliver a purchase once and find out that it was voided', async () => {
  const { client } = await stage.createApp();
  const { packageName } = client;
  const bought = { packageName, productId: 'coins', developerPayload: 'order-1' };
  const { purchaseId } = await stage.operator.recordPurchase({ ...bought, orderId: 'store-1' });
  const claim = { purchaseId, productId: 'coins', developerPayload: 'order-1' };
  expect(await client.verifyPurchase({ ...claim, productId: 'sword' })).toMatchObject({ reason: 'notFound' });
  expect(await client.verifyPurchase(claim)).toMatchObject({ isValid: true });
  expect(await client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumed' });
  expect(await client.verifyPurchase(claim)).toMatchObject({ isValid: false, reason: 'consumed' });
  expect(await client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumedBefore' });

  const steps: VoidedStep[] = [];
  const save = (step: VoidedStep) => void steps.push(step);
  const before = await client.followVoidedPurchases({ since: stage.server.clock.now() - 1_000, save });
  await stage.server.clock.advance(1_000);
  await stage.operator.voidPurchase({ packageName, purchaseId, reason: 'customer' });
  const after = await client.followVoidedPurchases({ since: before, save });
  await client.followVoidedPurchases({ since: after, save });
  expect(steps.flatMap(({ voidedPurchases }) => voidedPurchases.map((voided) => voided.purchaseId))).toEqual([
    purchaseId,
  ]);
  expect(await client.verifyPurchase(claim)).toMatchObject({ isValid: false, reason: 'voided' });
  expect(await errorOf(client.consumePurchase({ purchaseId }))).toMatchObject({
    code: 9200,
    httpStatus: 409,
  });
  const { events } = await client.listEvents();
  expect(events.map(({ type }) => type)).toEqual([
    'purchase.completed',
    'purchase.consumed',
    'purchase.voided',
  ]);
});

test('a store can sell a subscription, cancel it for a customer, and refund the last month', async () => {
  const { client } = await stage.createApp();
  const { packageName } = client;
  const { operator } = stage;
  await operator.putClock({ packageName, mode: 'frozen' });
  const order = { packageName, productId: 'monthly', orderId: 'store-2', buyerId: 'buyer' };
  const { purchaseId: firstPurchaseId } = await operator.recordPurchase(order);
  expect((await operator.advanceClock({ packageName, by: 'P1M' })).count).toBe(1);
  const { lastPurchaseId } = await client.getLastRecurringPurchaseDetails({ purchaseId: firstPurchaseId });
  expect(lastPurchaseId).not.toBe(firstPurchaseId);

  const found = await operator.listPurchases({ buyerId: 'buyer' });
  expect(found.purchases.map(({ purchaseId }) => purchaseId).sort()).toEqual(
    [firstPurchaseId, lastPurchaseId].sort(),
  );
  await operator.cancelSubscription({ packageName, firstPurchaseId, reason: 'customer' });
  const cancelled = await client.getRecurringPurchaseDetails({ purchaseId: lastPurchaseId });
  expect(cancelled).toMatchObject({ autoRenewing: false, cancelReason: '0' });
  const action = 'reactivate';
  expect(await client.manageRecurringPaymentStatus({ purchaseId: lastPurchaseId, action })).toEqual({
    responseCode: 0,
    purchaseId: lastPurchaseId,
  });
  await operator.voidPurchase({ packageName, purchaseId: lastPurchaseId });
  const ended = await operator.getSubscription({ packageName, firstPurchaseId });
  expect(ended).toMatchObject({ autoRenewing: false, months: [{ purchaseState: 0 }, { purchaseState: 1 }] });
  const again = { purchaseId: firstPurchaseId, action } as const;
  expect(await client.manageRecurringPaymentStatus(again)).toMatchObject({ responseCode: 1 });
  const { history } = await operator.getPurchase({ packageName, purchaseId: lastPurchaseId });
  expect(history.map(({ type }) => type)).toContain('subscription.terminated');
});

test('the test of a backend can use every operation of the sandbox', async () => {
  const { client, options } = await stage.createApp();
  const sandbox = new SandboxClient(options);
  const product = { productId: 'pass', type: 'subscription', price: 999, currency: 'EUR' } as const;
  await sandbox.putProduct(product);
  const { purchaseId: firstPurchaseId } = await sandbox.recordPurchase({ productId: 'pass' });
  const { purchaseId } = await sandbox.recordPurchase({ productId: 'coins' });
  expect((await sandbox.listPurchases({ productId: 'coins' })).purchases).toMatchObject([{ purchaseId }]);

  expect(await sandbox.putClock({ mode: 'frozen' })).toMatchObject({ mode: 'frozen' });
  expect((await sandbox.advanceClock({ by: 'P1M' })).happened).toMatchObject([
    { type: 'subscription.renewed' },
  ]);
  expect((await sandbox.getClock()).now).toBeGreaterThan(stage.server.clock.now());
  expect((await sandbox.cancelSubscription({ firstPurchaseId })).autoRenewing).toBe(false);
  expect((await sandbox.reactivateSubscription({ firstPurchaseId })).autoRenewing).toBe(true);
  expect((await sandbox.getSubscription({ firstPurchaseId })).months).toHaveLength(2);

  // A lost response and an expired token.
  await sandbox.putFaults({ faults: [{ operation: 'consumePurchase', cut: 'after', times: 1 }] });
  expect(await client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'settled' });
  expect((await sandbox.getFaults()).faults).toMatchObject([{ applied: 1 }]);
  await sandbox.putToken({ expiresIn: 0 });
  await sandbox.expelTokens();
  expect(await client.getPurchaseDetails({ purchaseId })).toMatchObject({ consumptionState: 1 });
  expect(await sandbox.voidPurchase({ purchaseId })).toMatchObject({ purchaseState: 1 });

  const put = await sandbox.putWebhook({ url: 'http://127.0.0.1:9000/hook' });
  expect(await sandbox.getWebhook()).toMatchObject({ url: put.url });
  await sandbox.rotateWebhookSecret({ keepPreviousForSeconds: 0 });
  await sandbox.testWebhook();
  expect(await sandbox.listDeliveries()).toEqual({ deliveries: [] });
  expect(await sandbox.redeliverFailed({ since: stage.server.clock.now() })).toMatchObject({ count: 0 });
  const unknown = await errorOf(sandbox.redeliver({ deliveryId: 'evt_1_AAAAAAAAAAAAAAAA' }));
  expect(unknown.httpStatus).toBe(404);
  expect(await sandbox.deleteWebhook()).toBeUndefined();

  const { requests } = await sandbox.listRequests();
  expect(requests.map(({ operationId }) => operationId)).toContain('consumePurchase');
  await sandbox.reset();
  expect(await sandbox.listPurchases()).toEqual({ purchases: [] });

  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(SandboxClient.prototype));
  const operationIds = sandboxOperations.map(({ operationId }) => operationId);
  expect(methods.filter((name) => name !== 'constructor').sort()).toEqual([...operationIds].sort());
});
