// The token of a client when responses are late: aborted calls, late rejections and expiry.

import { beforeEach, describe, expect, test } from 'vitest';
import { empty, heldAnswer, refusal, scriptedClient, token } from './scripted-client.ts';

const unauthorized = refusal(401, { code: 401 });

describe('aborted calls', () => {
  test('an aborted call does not wait for the token', async () => {
    const scripted = scriptedClient();
    const held = heldAnswer();
    scripted.answers = [held.answer, empty];
    const controller = new AbortController();
    const aborted = scripted.client.getVoidedPurchases({}, { signal: controller.signal });
    const other = scripted.client.getVoidedPurchases();
    controller.abort(new Error('no time'));
    await expect(aborted).rejects.toThrow('no time');
    await held.give(token('one'));
    expect(await other).toEqual({ voidedPurchaseList: [] });
    expect(scripted.sent).toEqual(['token', 'Bearer one']);
  });
});

test('a late rejection of the previous token does not discard the new one', async () => {
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

  test('an expired token is not used, however recently it was requested', async () => {
    scripted.answers = [token('next'), empty];
    await scripted.client.getVoidedPurchases();
    expect(scripted.sent).toEqual(['token', 'Bearer next']);
  });
});
