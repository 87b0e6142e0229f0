// consumeOnce with sequences of responses that a real server returns only rarely.

import { expect, test } from 'vitest';
import { errorOf } from './client-stage.ts';
import { type Answer, refusal, scriptedClient, token } from './scripted-client.ts';

const purchaseId = 'p';
const cut: Answer = () => {
  throw new TypeError('fetch failed');
};
const details =
  (consumptionState: 0 | 1): Answer =>
  () =>
    Response.json({ consumptionState, purchaseState: 0, developerPayload: '', purchaseTime: 1 });

function consumeOnce(...answers: Answer[]) {
  const scripted = scriptedClient({ retriesMax: 1 });
  scripted.answers = [token('one'), ...answers];
  return { outcome: scripted.client.consumeOnce({ purchaseId }), answers: () => scripted.answers };
}

test('consumeOnce returns settled for a consume whose response was lost and whose effect is visible late', async () => {
  const unchangeable = refusal(409, { code: 9201 });
  const { outcome } = consumeOnce(cut, details(0), unchangeable, details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('consumeOnce reads the purchase after an invalid success response', async () => {
  const { outcome } = consumeOnce(() => new Response('<html>'), details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('consumeOnce fails with a 9200 after an attempt of unknown outcome, without reading the purchase', async () => {
  const overload = refusal(503, { code: 503, headers: { 'retry-after': '1' } });
  const { outcome, answers } = consumeOnce(overload, refusal(404, { code: 9200 }), details(1));
  expect(await errorOf(outcome)).toMatchObject({ code: 9200, isOutcomeUnknown: true });
  expect(answers()).toHaveLength(1);
});
