// followVoidedPurchases of an app without voids: how far its position moves on, by what the server answers.

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
