// A walk through the voided list by continuation keys: complete, in order, without duplicates, and only with valid keys,
// whose format is tested with the domain.

import { describe, expect, test } from 'vitest';
import { createTestApp, testNow, useTestServer } from '../../../../test/support/harness.ts';
import { expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { withFreshToken } from '../subscriptions/staged-subscription.ts';
import { listIds, listPage, listVoided, monthMs, voidAt, walk } from './voided-purchases.ts';

/** Voided in this order: three at one instant in the reverse order of their ids, then two more. */
const order = ['C', 'A', 'B', 'E', 'D'];
const times = [testNow, testNow, testNow, testNow + 1, testNow + 2];

const server = await useTestServer();
const app = await createTestApp(server);
for (const [index, purchaseId] of order.entries()) {
  await voidAt(server, app, { purchaseId, time: times[index] ?? 0 });
}

async function keyAfter(maxResults: number, at = server, as = app): Promise<string> {
  const { continuationKey } = await listPage(at, as, { maxResults });
  if (continuationKey === undefined) throw new Error('That was the last page.');
  return continuationKey;
}

describe('a walk over the voided list', () => {
  test.each([
    [[1], [['C'], ['A'], ['B'], ['E'], ['D']]],
    [
      [1, 3, 1],
      [['C'], ['A', 'B', 'E'], ['D']],
    ],
  ])(
    'a walk returns every void once, by time and then by order of voiding, with pages of %j',
    async (sizes, pages) => {
      expect(await walk(server, app, { sizes })).toEqual(pages);
    },
  );

  test('a page that is not the last starts with a continuationKey of 41 characters', async () => {
    const response = await listVoided(server, app, { maxResults: 1 });
    expect(response.text).toMatch(
      /^\{"continuationKey":"[A-Za-z0-9_-]{41}","voidedPurchaseList":\[\{"purchaseId":"C",[^{}]*\}\]\}$/,
    );
  });
});

test('a continuationKey is accepted a month later, although its range is too old for a first page', async () => {
  const own = await createTestApp(server, 'com.example.slow');
  for (const purchaseId of ['P-1', 'P-2']) await voidAt(server, own, { purchaseId, time: testNow + 10 });
  const continuationKey = await keyAfter(1, server, own);
  await voidAt(server, own, { purchaseId: 'P-3', time: testNow + 2 * monthMs });
  const later = await withFreshToken(server, own);
  expect(await listIds(server, later, { continuationKey })).toEqual(['P-2']);
  expect(await listIds(server, later)).toEqual(['P-3']);
  await server.clock.set(testNow + 10);
});

test('a continuationKey that was changed, or is of another app, is rejected with 9101 and shortened in the message', async () => {
  const other = await createTestApp(server, 'com.example.other');
  const key = await keyAfter(2);
  const changed = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  for (const continuationKey of [changed, ' ', app.token, 'x'.repeat(10_000)]) {
    const response = await listVoided(server, app, { continuationKey });
    expectFailure(response, 'searchRuleViolated', 'continuationKey');
    expect(response.text.length).toBeLessThan(200);
  }
  expectFailure(
    await listVoided(server, other, { continuationKey: key }),
    'searchRuleViolated',
    'continuationKey',
  );
});

test('a void after the first page of a walk without an endTime is left to the next walk', async () => {
  const own = await createTestApp(server, 'com.example.moving');
  for (const purchaseId of ['P-1', 'P-2']) await voidAt(server, own, { purchaseId, time: testNow + 200 });
  const continuationKey = await keyAfter(1, server, own);
  await voidAt(server, own, { purchaseId: 'P-3', time: testNow + 300 });
  expect(await listIds(server, own, { continuationKey })).toEqual(['P-2']);
  expect(await listIds(server, own)).toEqual(['P-1', 'P-2', 'P-3']);
});
