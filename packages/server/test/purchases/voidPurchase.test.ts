// voidPurchase: a purchase is voided once and listed, and its subscription may end.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  newTestApp,
  recordTestPurchase,
  supportKey,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

function voidOne(purchaseId: string, body?: unknown) {
  return callOperator(server, voidPurchase, { path: { ...app, purchaseId }, body, key: supportKey });
}

async function historyOf(purchaseId: string): Promise<string[]> {
  const { body } = await callOperator(server, getPurchase, { path: { ...app, purchaseId } });
  return body.history.map(({ type }: { type: string }) => type);
}

async function voidedList(): Promise<{ purchaseId: string }[]> {
  const path = `/voided-purchases/${app.packageName}?maxResults=999`;
  return (await callPurchaseApi(server, { token: app.token, path })).body.voidedPurchaseList;
}

test('a void returns the record with its time and reason, and adds the purchase to the voided list', async () => {
  const recorded = await recordTestPurchase(server, app, { purchaseId: 'voided' });
  await server.clock.advance(1000);
  const { status, body, headers } = await voidOne('voided', { reason: 'customer' });
  const voidedTime = testNow + 1000;
  expect(status).toBe(200);
  const voidedBy = body.voidedBy;
  expect(body).toEqual({
    ...recorded,
    purchaseState: 1,
    voidedTime,
    ...{ voidReason: 'customer', refundAmount: recorded.price, voidedBy },
  });
  expect(await voidedList()).toContainEqual({ purchaseId: 'voided', purchaseTime: testNow, voidedTime });
  const path = { ...app, purchaseId: 'voided' };
  const by = { madeBy: 'operator:helpdesk', requestId: headers.get('x-request-id') };
  expect((await callOperator(server, getPurchase, { path })).body.history).toMatchObject([
    { type: 'purchase.completed', eventTime: testNow, madeBy: 'operator:admin' },
    { type: 'purchase.voided', eventTime: voidedTime, ...by },
  ]);
  await server.clock.set(testNow);
});

test('a repeated void returns 200 with the same record and keeps the first time and reason', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'again' });
  const first = await voidOne('again');
  expect(first.body.voidReason).toBe('system');
  await server.clock.advance(5000);
  const again = await voidOne('again', { reason: 'customer' });
  await server.clock.set(testNow);
  expect(again.status).toBe(200);
  expect(again.text).toBe(first.text);
  expect(await historyOf('again')).toEqual(['purchase.completed', 'purchase.voided']);
});

test('a void returns the price or the amount that was sent, and the amount of the first void is final', async () => {
  const amountOf = async (purchaseId: string, body: object) => {
    const voided = await voidOne(purchaseId, body);
    return voided.status === 200 ? voided.body.refundAmount : voided.status;
  };
  for (const purchaseId of ['whole', 'part', 'free'])
    await recordTestPurchase(server, app, { purchaseId, price: 500 });
  expect(await amountOf('whole', { refundAmount: 501 })).toBe(400);
  expect(await historyOf('whole')).toEqual(['purchase.completed']);
  expect(await amountOf('whole', {})).toBe(500);
  expect(await amountOf('whole', { refundAmount: 499 })).toBe(409);
  expect(await amountOf('part', { refundAmount: 200 })).toBe(200);
  expect(await amountOf('free', { refundAmount: 0 })).toBe(0);
  for (const [purchaseId, amount] of [
    ['whole', 500],
    ['part', 200],
    ['free', 0],
  ] as const) {
    expect(await amountOf(purchaseId, {})).toBe(amount);
    expect(await amountOf(purchaseId, { refundAmount: amount })).toBe(amount);
    expect(await amountOf(purchaseId, { refundAmount: 499 })).toBe(409);
  }
});

test('fifty concurrent voids of one purchase write one event and one entry of the voided list', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'raced' });
  const responses = await Promise.all(Array.from({ length: 50 }, () => voidOne('raced')));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  expect(await historyOf('raced')).toEqual(['purchase.completed', 'purchase.voided']);
  expect((await voidedList()).filter(({ purchaseId }) => purchaseId === 'raced')).toHaveLength(1);
});

test('an unknown purchase returns 404 and an unknown reason 400, and neither voids anything', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'kept' });
  expect((await voidOne('none')).status).toBe(404);
  expect((await voidOne('kept', { reason: 'fraud' })).status).toBe(400);
  expect((await voidOne('kept', { raeson: 'customer' })).status).toBe(400);
  expect(await historyOf('kept')).toEqual(['purchase.completed']);
});

test('a period that is voided at its start, or before it, ends there', async () => {
  const other = await newTestApp(server);
  for (const ahead of [0, 60_000]) {
    const startTime = testNow + ahead;
    const purchaseId = `starts-${ahead}`;
    await recordTestPurchase(server, other, { productId: 'monthly', purchaseId, purchaseTime: startTime });
    const path = { ...other, purchaseId };
    expect((await callOperator(server, voidPurchase, { path, key: supportKey })).status).toBe(200);
    const { body } = await callOperator(server, getPurchase, { path });
    expect(body).toMatchObject({ startTime, expiryTime: testNow });
  }
});
