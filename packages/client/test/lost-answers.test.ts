// consumeOnce, where answers come in an order that this server gives only by accident.

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

test('a consume whose answer was lost, and that shows late, is settled and was not consumed before', async () => {
  const unchangeable = refusal(409, { code: 9201 });
  const { outcome } = consumeOnce(cut, details(0), unchangeable, details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('a success that cannot be read is read back', async () => {
  const { outcome } = consumeOnce(() => new Response('<html>'), details(1));
  expect(await outcome).toEqual({ purchaseId, outcome: 'settled' });
});

test('a refusal after an attempt of unknown outcome says what became of the purchase, and nothing is read back', async () => {
  const overload = refusal(503, { code: 503, headers: { 'retry-after': '1' } });
  const { outcome, answers } = consumeOnce(overload, refusal(404, { code: 9200 }), details(1));
  expect(await errorOf(outcome)).toMatchObject({ code: 9200, isOutcomeUnknown: true });
  expect(answers()).toHaveLength(1);
});
