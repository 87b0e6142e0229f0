// consumeOnce: the outcome of a consume, even if responses are lost.

import { expect, test } from 'vitest';
import { useForFile } from '../../../test/support/harness.ts';
import { errorOf, type StagedApp, startClientStage } from './client-stage.ts';
import { refusal, type ScriptedResponse, scriptedClient, token } from './scripted-client.ts';

const stage = await useForFile(startClientStage());
const app = await stage.createApp();
await app.client.getAccessToken();

async function purchaseThatMeets(
  ...faults: Parameters<StagedApp['sandbox']['putFaults']>[0]['faults']
): Promise<{ purchaseId: string }> {
  const { purchaseId } = await app.sandbox.recordPurchase({ productId: 'coins' });
  await app.sandbox.putFaults({ faults });
  app.called.length = 0;
  return { purchaseId };
}

const operation = 'consumePurchase';

test('after a lost response consumeOnce reads the purchase and does not retry a completed consume', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'after', times: 1 });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'settled' });
  expect(app.called).toEqual(['consume', 'details']);
});

test('consumeOnce retries a consume that did not take place', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'before', times: 2 });
  expect(await app.client.consumeOnce({ purchaseId })).toEqual({ purchaseId, outcome: 'consumed' });
  expect(app.called).toEqual(['consume', 'details', 'consume', 'details', 'consume']);
});

test('exactly one of several concurrent consumeOnce calls has the outcome consumed, the others consumedBefore', async () => {
  const { purchaseId } = await purchaseThatMeets();
  const calls = Array.from({ length: 5 }, () => app.client.consumeOnce({ purchaseId }));
  const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
  expect(outcomes.sort()).toEqual(['consumed', ...Array(4).fill('consumedBefore')]);
});

test('consumeOnce fails for an unknown purchase, a voided one and a subscription', async () => {
  const { purchaseId } = await purchaseThatMeets();
  await app.sandbox.voidPurchase({ purchaseId });
  const { purchaseId: subscription } = await app.sandbox.recordPurchase({ productId: 'monthly' });
  const codes = [];
  for (const id of ['none', purchaseId, subscription]) {
    codes.push((await errorOf(app.client.consumeOnce({ purchaseId: id }))).code);
  }
  expect(codes).toEqual([9200, 9200, 9201]);
});

test('consumeOnce fails for a purchase that was consumed and then voided while the response was lost', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'after', times: 1 });
  expect((await errorOf(app.client.consumePurchase({ purchaseId }))).isOutcomeUnknown).toBe(true);
  await app.sandbox.voidPurchase({ purchaseId });
  await app.sandbox.putFaults({ faults: [{ operation, cut: 'before', times: 1 }] });
  expect(await errorOf(app.client.consumeOnce({ purchaseId }))).toMatchObject({ code: 9200 });
});

test('consumeOnce fails with an unknown outcome after three attempts without a response', async () => {
  const { purchaseId } = await purchaseThatMeets({ operation, cut: 'before' });
  const error = await errorOf(app.client.consumeOnce({ purchaseId }));
  expect(error).toMatchObject({ operation, isOutcomeUnknown: true });
  expect(app.called).toEqual(['consume', 'details', 'consume', 'details', 'consume', 'details']);
});

const purchaseId = 'p';
const cut: ScriptedResponse = () => {
  throw new TypeError('fetch failed');
};
const details =
  (consumptionState: 0 | 1): ScriptedResponse =>
  () =>
    Response.json({ consumptionState, purchaseState: 0, developerPayload: '', purchaseTime: 1 });

function consumeOnce(...responses: ScriptedResponse[]) {
  const scripted = scriptedClient({ retriesMax: 1 });
  scripted.responses = [token('one'), ...responses];
  return { outcome: scripted.client.consumeOnce({ purchaseId }), responses: () => scripted.responses };
}

test('consumeOnce returns settled for a consume whose response was lost and whose effect is visible late', async () => {
  const unchangeable = refusal(409, 9201);
  const { outcome } = consumeOnce(cut, details(0), unchangeable, details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('consumeOnce reads the purchase after an invalid success response', async () => {
  const { outcome } = consumeOnce(() => new Response('<html>'), details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('consumeOnce fails with a 9200 after an attempt of unknown outcome, without reading the purchase', async () => {
  const overload = refusal(503, 503, { 'retry-after': '1' });
  const { outcome, responses } = consumeOnce(overload, refusal(404, 9200), details(1));
  expect(await errorOf(outcome)).toMatchObject({ code: 9200, isOutcomeUnknown: true });
  expect(responses()).toHaveLength(1);
});
