// Walks through a voided list without voids: how far the position of a follower moves on, by what the server answers,
// and how a walk ends that would not.

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

test('it moves on by a fortnight less an hour, in which a void that was under way may still show', async () => {
  const time = since.time + fortnightMs - hourMs;
  expect(await follow(empty, inFuture)).toEqual({ time, purchaseIds: [] });
  expect(await follow(empty, empty, inFuture)).toEqual({
    time: time + fortnightMs - hourMs,
    purchaseIds: [],
  });
});

test('it stays before a void that has come since the run looked', async () => {
  expect(await follow(late)).toEqual(since);
});

test('a failure other than that the fortnight is not over is the failure of the run', async () => {
  expect(await errorOf(follow(refusal(400, { code: 9000 })))).toMatchObject({ code: 9000 });
});

test('a walk whose next page has the key that it was asked by ends with a failure', async () => {
  const { client, ...scripted } = scriptedClient();
  const turning: Answer = () => Response.json({ continuationKey: 'k'.repeat(41), voidedPurchaseList: [] });
  scripted.answers.push(token('one'), turning, turning, turning);
  const walk = Array.fromAsync(client.voidedPurchases());
  expect(await errorOf(walk)).toMatchObject({ operation: 'getVoidedPurchases' });
  expect(scripted.answers).toHaveLength(1);
});
