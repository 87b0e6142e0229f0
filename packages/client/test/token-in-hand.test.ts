// The token of a client while answers come late: who gives up, which refusal counts, and when it is at its end.

import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf } from './client-stage.ts';
import { type Answer, empty, heldAnswer, refusal, scriptedClient, token } from './scripted-client.ts';

const unauthorized = refusal(401, { code: 401 });

describe('who gives up', () => {
  test('does not wait for the token', async () => {
    const scripted = scriptedClient();
    const held = heldAnswer();
    scripted.answers = [held.answer, empty];
    const giveUp = new AbortController();
    const impatient = scripted.client.getVoidedPurchases({}, { signal: giveUp.signal });
    const patient = scripted.client.getVoidedPurchases();
    giveUp.abort(new Error('no time'));
    await expect(impatient).rejects.toThrow('no time');
    await held.give(token('one'));
    expect(await patient).toEqual({ voidedPurchaseList: [] });
    expect(scripted.sent).toEqual(['token', 'Bearer one']);
  });

  test('does not wait for the token that takes the place of a refused one', async () => {
    const scripted = scriptedClient();
    const held = heldAnswer();
    const giveUp = new AbortController();
    const lateToken: Answer = () => {
      giveUp.abort(new Error('no time'));
      return held.answer();
    };
    scripted.answers = [token('one'), unauthorized, lateToken, empty];
    const impatient = scripted.client.getVoidedPurchases({}, { signal: giveUp.signal });
    await expect(impatient).rejects.toThrow('no time');
    await held.give(token('two'));
    await scripted.client.getVoidedPurchases();
    expect(scripted.sent).toEqual(['token', 'Bearer one', 'token', 'Bearer two']);
  });
});

test('a token is kept when the one before it is refused once more', async () => {
  const scripted = scriptedClient();
  const held = heldAnswer();
  scripted.answers = [token('one'), empty];
  await scripted.client.getVoidedPurchases();
  scripted.answers = [held.answer, unauthorized, token('two'), empty, empty];
  const late = scripted.client.getVoidedPurchases();
  await scripted.client.getVoidedPurchases();
  await held.give(unauthorized);
  await late;
  const [, , ...sent] = scripted.sent;
  expect(sent).toEqual(['Bearer one', 'Bearer one', 'token', 'Bearer two', 'Bearer two']);
});

describe('a token at its end', () => {
  let scripted: ReturnType<typeof scriptedClient>;

  beforeEach(async () => {
    scripted = scriptedClient();
    scripted.answers = [token('short', 5), empty, empty];
    await scripted.client.getVoidedPurchases();
    scripted.now += 4_999;
    await scripted.client.getVoidedPurchases();
    scripted.now += 1;
    scripted.sent = [];
  });

  test('is not used, however lately it was asked for', async () => {
    scripted.answers = [token('next'), empty];
    await scripted.client.getVoidedPurchases();
    expect(scripted.sent).toEqual(['token', 'Bearer next']);
  });

  test('is not used although the token endpoint fails', async () => {
    scripted.answers = [refusal(400, { code: 400 }), empty];
    const error = await errorOf(scripted.client.getVoidedPurchases());
    expect(error).toMatchObject({ operation: 'getAccessToken', code: 400 });
    expect(scripted.sent).toEqual(['token']);
  });
});

test('a call that may have taken place before its token was refused says so of its own refusal', async () => {
  const scripted = scriptedClient();
  const overload = refusal(503, { code: 503, headers: { 'retry-after': '1' } });
  scripted.answers = [token('one'), overload, unauthorized, token('two'), refusal(409, { code: 9201 })];
  const error = await errorOf(scripted.client.consumePurchase({ purchaseId: 'p' }));
  expect(error).toMatchObject({ code: 9201, isOutcomeUnknown: true });
});

test.each([
  ['as it is', (secret: string) => secret],
  ['as JSON writes it', (secret: string) => JSON.stringify(secret)],
  ['as a path writes it', encodeURIComponent],
  ['as a form writes it', (secret: string) => new URLSearchParams([['secret', secret]]).toString()],
])('a client secret that any answer repeats %s is not in the error', async (_how, written) => {
  const clientSecret = 'a "secret" of+an/app';
  const scripted = scriptedClient({ clientSecret });
  scripted.answers = [token('one'), refusal(404, { code: 9001, message: `not ${written(clientSecret)}` })];
  const error = await errorOf(scripted.client.getPurchaseDetails({ purchaseId: 'p' }));
  expect(error.message).toMatch(/^getPurchaseDetails: not "?(?:secret=)?\*\*\*"? \(9001, HTTP 404\)$/);
});
