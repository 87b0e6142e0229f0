// Walks through a voided list without voids: how far the position advances, and when a walk fails.

import { expect, test } from 'vitest';
import { errorOf } from './client-stage.ts';
import { type Answer, empty, refusal, scriptedClient, token } from './scripted-client.ts';

const hourMs = 60 * 60 * 1000;
const fortnightMs = 14 * 24 * hourMs;
const since = { time: Date.UTC(2026, 0, 1), purchaseIds: [] };

function follow(...answers: Answer[]) {
  const scripted = scriptedClient({ environment: 'sandbox' });
  scripted.answers = [token('one'), empty, ...answers];
  return scripted.client.followVoidedPurchases({ since, save: () => undefined });
}

const inFuture = refusal(400, { code: 9101 });
const late: Answer = () => {
  const ofLate = { purchaseId: 'late', purchaseTime: since.time, voidedTime: since.time + hourMs };
  return Response.json({ voidedPurchaseList: [ofLate] });
};

test('the position advances by a fortnight less an hour, in which a void in flight may still appear', async () => {
  const time = since.time + fortnightMs - hourMs;
  expect(await follow(empty, inFuture)).toEqual({ time, purchaseIds: [] });
  expect(await follow(empty, empty, inFuture)).toEqual({
    time: time + fortnightMs - hourMs,
    purchaseIds: [],
  });
});

test('the position stays before a void that was made since the run', async () => {
  expect(await follow(late)).toEqual(since);
});

test('a run fails with any error other than that the fortnight is not over', async () => {
  expect(await errorOf(follow(refusal(400, { code: 9000 })))).toMatchObject({ code: 9000 });
});

test('a walk fails if a page returns the continuationKey of its request', async () => {
  const { client, ...scripted } = scriptedClient();
  const turning: Answer = () => Response.json({ continuationKey: 'k'.repeat(41), voidedPurchaseList: [] });
  scripted.answers.push(token('one'), turning, turning, turning);
  const walk = Array.fromAsync(client.voidedPurchases());
  expect(await errorOf(walk)).toMatchObject({ operation: 'getVoidedPurchases' });
  expect(scripted.answers).toHaveLength(1);
});
