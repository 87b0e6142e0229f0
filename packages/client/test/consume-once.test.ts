// consumeOnce: what is known of a purchase when answers get lost.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientStage, errorOf, type StagedApp, startClientStage } from './client-stage.ts';

let stage: ClientStage;
let app: StagedApp;

beforeAll(async () => {
  stage = await startClientStage();
  app = await stage.createApp();
});
afterAll(() => stage[Symbol.asyncDispose]());

async function purchaseThatMeets(
  ...faults: Parameters<StagedApp['sandbox']['putFaults']>[0]['faults']
): Promise<{ purchaseId: string }> {
  const { purchaseId } = await app.sandbox.recordPurchase({ productId: 'coins' });
  await app.sandbox.putFaults({ faults });
  app.called.length = 0;
  return { purchaseId };
}

const operation = 'consumePurchase';

test('an answer that comes needs no reading back', async () => {
  const { purchaseId } = await purchaseThatMeets();
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumed' });
  expect(app.called).not.toContain('details');
});

test('a lost answer to a consume that took place is read back, and nothing is tried again', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'after', times: 1 });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'settled' });
  expect(app.called).toEqual(['consume', 'details']);
});

test('a consume that was cut off before it took place is made again', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'before', times: 2 });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumed' });
  expect(app.called).toEqual(['consume', 'details', 'consume', 'details', 'consume']);
});

test('lost answers to both the consume and the reading back are survived', async () => {
  const { purchaseId } = await purchaseThatMeets(
    { operation, cut: 'after', times: 1 },
    { operation: 'getPurchaseDetails', cut: 'after', times: 2 },
  );
  expect(await app.client.consumeOnce({ purchaseId })).toMatchObject({ outcome: 'settled' });
});

test.each([
  [500, 2],
  [503, 3],
])('an answer of %i says nothing of the purchase, and is settled too', async (httpStatus, times) => {
  const { purchaseId } = await purchaseThatMeets({ operation, httpStatus, times });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumed' });
  expect((await app.client.getPurchaseDetails({ purchaseId })).consumptionState).toBe(1);
});

test('a purchase that somebody else has consumed was consumed before', async () => {
  const { purchaseId } = await purchaseThatMeets();
  await app.client.consumePurchase({ purchaseId });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumedBefore' });
});

test('of callers at the same moment whose answers come, one has consumed', async () => {
  const { purchaseId } = await purchaseThatMeets();
  const calls = Array.from({ length: 5 }, () => app.client.consumeOnce({ purchaseId }));
  const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['consumed', ...Array(4).fill('consumedBefore')]);
});

test('a purchase that is not there, voided, or a subscription is an error', async () => {
  const { purchaseId } = await purchaseThatMeets();
  await app.sandbox.voidPurchase({ purchaseId });
  const { purchaseId: subscription } = await app.sandbox.recordPurchase({ productId: 'monthly' });
  const codes = [];
  for (const id of ['none', purchaseId, subscription]) {
    codes.push((await errorOf(app.client.consumeOnce({ purchaseId: id }))).code);
  }
  expect(codes).toEqual([9200, 9200, 9201]);
});

test('a purchase that is consumed and then voided while the answer is lost is not to be delivered', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'after', times: 1 });
  expect((await errorOf(app.client.consumePurchase({ purchaseId }))).isOutcomeUnknown).toBe(true);
  await app.sandbox.voidPurchase({ purchaseId });
  await app.sandbox.putFaults({ faults: [{ operation, cut: 'before', times: 1 }] });
  expect(await errorOf(app.client.consumeOnce({ purchaseId }))).toMatchObject({ code: 9200 });
});

test('a server that never answers is an error of unknown outcome after three attempts', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'before' });
  const error = await errorOf(app.client.consumeOnce({ purchaseId }));
  expect(error).toMatchObject({ operation, isOutcomeUnknown: true });
  expect(app.called).toEqual(['consume', 'details', 'consume', 'details', 'consume', 'details']);
});
