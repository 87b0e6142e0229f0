// recordConsumption: the store says that the device has consumed, by the rules of consumePurchase.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { recordConsumption as operation } from '@opentill/contract/operator-api/recordConsumption.ts';
import { beforeEach, expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  recordKey,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';

const server = await useTestServer();
let app: TestApp;
beforeEach(async () => {
  app = await newTestApp(server);
});

const recordConsumption = (purchaseId: string) =>
  callOperator(server, operation, { path: { ...app, purchaseId }, key: recordKey });

const recordOf = async (purchaseId: string) =>
  (await callOperator(server, getPurchase, { path: { ...app, purchaseId } })).body;

test('a recorded consumption returns the record with its author and writes one event, and the backend finds it consumed', async () => {
  const recorded = await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  await server.clock.advance(1_000);
  const response = await recordConsumption('P-1');
  await server.clock.set(testNow);
  const consumed = { consumptionState: 1, consumedTime: testNow + 1_000, consumedBy: 'operator:checkout' };
  expect([response.status, response.body]).toEqual([200, { ...recorded, ...consumed }]);
  const { history, voidEffects, ...record } = await recordOf('P-1');
  expect(record).toEqual(response.body);
  const requestId = response.headers.get('x-request-id');
  const eventTime = testNow + 1_000;
  expect(history.slice(1)).toMatchObject([
    { type: 'purchase.consumed', eventTime, madeBy: 'operator:checkout', requestId },
  ]);
  expect((await tryConsume(server, app, 'P-1')).body.error.code).toBe(9201);
});

test('a purchase that was consumed by the app or the store gets 200 with its record, and nothing is written', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  await tryConsume(server, app, 'P-1');
  const before = await recordOf('P-1');
  expect(before).not.toHaveProperty('consumedBy');
  const { history, voidEffects, ...record } = before;
  for (let round = 0; round < 2; round += 1) {
    const response = await recordConsumption('P-1');
    expect([response.status, response.body]).toEqual([200, record]);
  }
  expect(await recordOf('P-1')).toEqual(before);
});

test('a hundred concurrent consumptions of one purchase by the app and the store write one event', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => [recordConsumption('P-1'), tryConsume(server, app, 'P-1')]).flat(),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((_status, index) => index % 2 === 0)).toEqual(Array.from({ length: 50 }, () => 200));
  expect((await recordOf('P-1')).history).toHaveLength(2);
});

test('a void purchase and a period of a subscription get 409, an unknown purchase 404, and nothing is written', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'void' });
  await tryConsume(server, app, 'void');
  await voidTestPurchase(server, app, 'void');
  await recordTestPurchase(server, app, { purchaseId: 'month', productId: 'monthly' });
  for (const [purchaseId, detail] of [
    ['void', 'Purchase void is void, and can no longer be consumed.'],
    ['month', 'Purchase month is a period of a subscription, and is never consumed.'],
  ] as const) {
    const before = await recordOf(purchaseId);
    const { status, body } = await recordConsumption(purchaseId);
    expect([status, body.detail]).toEqual([409, detail]);
    expect(await recordOf(purchaseId)).toEqual(before);
  }
  expect((await recordConsumption('none')).status).toBe(404);
});
