// Retries after responses of other servers or proxies, and the limits of error messages.

import { expect, test } from 'vitest';
import { errorOf } from './client-stage.ts';
import { empty, refusal, scriptedClient, token } from './scripted-client.ts';

test.each([429, 503])('a read is retried after a %i without Retry-After', async (status) => {
  const scripted = scriptedClient();
  scripted.answers = [token('one'), refusal(status, { code: status }), empty];
  expect(await scripted.client.getVoidedPurchases()).toEqual({ voidedPurchaseList: [] });
  expect(scripted.pauses).toEqual([200]);
});

test.each([429, 503])('a change is not retried after a %i without Retry-After', async (status) => {
  const scripted = scriptedClient();
  scripted.answers = [token('one'), refusal(status, { code: status })];
  const error = await errorOf(scripted.client.consumePurchase({ purchaseId: 'p' }));
  expect(error).toMatchObject({ httpStatus: status, isOutcomeUnknown: status === 503 });
  expect(scripted.sent).toEqual(['token', 'Bearer one']);
});

test('the message of a network error is truncated to 500 characters', async () => {
  const scripted = scriptedClient({ retriesMax: 0 });
  const cut = () => {
    throw new TypeError('x'.repeat(1_000));
  };
  scripted.answers = [token('one'), cut];
  const error = await errorOf(scripted.client.getVoidedPurchases());
  expect(error.message).toHaveLength('getVoidedPurchases: '.length + 500);
});
