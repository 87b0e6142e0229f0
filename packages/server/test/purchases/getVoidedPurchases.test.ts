// getVoidedPurchases: the voids in a range, and its rejected calls. The rules of the query are tested with the domain.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { withFreshToken } from '../subscriptions/staged-subscription.ts';
import { listIds, listVoided, monthMs, type VoidedQuery, voidAt } from './voided-purchases.ts';

const now = testNow + 14 * monthMs;

/** Purchases named after the time of their void relative to now. */
const voids = {
  'year-31d': now - 12 * monthMs,
  year: now - 11 * monthMs,
  'month-1ms': now - monthMs - 1,
  month: now - monthMs,
  '2s': now - 2_000,
  '1s': now - 1_000,
  now,
} as const;

const server = await useTestServer();
const created = await createTestApp(server);
for (const [purchaseId, time] of Object.entries(voids)) {
  await voidAt(server, created, { purchaseId, time });
}
const app = await withFreshToken(server, created);

test('voided purchases have their fields in the order of the specification, and the only page has no continuationKey', async () => {
  const response = await listVoided(server, app, { startTime: now - 2_000, endTime: now - 1_000 });
  const entry = (purchaseId: string, time: number) =>
    `{"purchaseId":"${purchaseId}","purchaseTime":${time - 60_000},"voidedTime":${time}}`;
  expect(response.text).toBe(
    `{"voidedPurchaseList":[${entry('2s', now - 2_000)},${entry('1s', now - 1_000)}]}`,
  );
});

test('the voided list has voided periods and consumed purchases of its own app only', async () => {
  const mixed = await createTestApp(server, 'com.example.mixed');
  await recordTestPurchase(server, mixed, { purchaseId: 'S-1', productId: 'monthly' });
  await recordTestPurchase(server, mixed, { purchaseId: 'P-1' });
  await callPurchase(server, consumePurchase, mixed, { path: { purchaseId: 'P-1' } });
  for (const purchaseId of ['S-1', 'P-1']) {
    await voidTestPurchase(server, mixed, purchaseId);
  }
  expect(await listIds(server, mixed)).toEqual(['S-1', 'P-1']);
  expect(await listIds(server, app)).not.toContain('S-1');
});

test.each<[string, VoidedQuery, (keyof typeof voids)[]]>([
  ['the last 31 days without bounds', {}, ['month', '2s', '1s', 'now']],
  ['both bounds included', { startTime: now - 2_000, endTime: now - 1_000 }, ['2s', '1s']],
  ['empty between two voids', { startTime: now - 1_999, endTime: now - 1_001 }, []],
  [
    '31 days with both ends before an endTime, however old',
    { endTime: now - 11 * monthMs },
    ['year-31d', 'year'],
  ],
  [
    'the last 31 days also with an empty key',
    { continuationKey: '', maxResults: '' },
    ['month', '2s', '1s', 'now'],
  ],
  ['31 days up to an endTime before', { endTime: now - 1 }, ['month-1ms', 'month', '2s', '1s']],
])('the range of voided purchases is %s', async (_, query, expected) => {
  expect(await listIds(server, app, query)).toEqual(expected);
});

test('without an endTime the range extends to the newest void, also if the clock has stepped back since', async () => {
  const shared = await createTestApp(server, 'com.example.shared');
  await voidAt(server, shared, { purchaseId: 'ahead', time: now + 5_000 });
  await server.clock.set(now);
  expect(await listIds(server, shared)).toEqual(['ahead']);
  expect(await listIds(server, shared, { startTime: now - 1_000 })).toEqual(['ahead']);
  expect(await listIds(server, shared, { endTime: now })).toEqual([]);
});

test.each([
  ['startTime', String(now - monthMs - 60_001)],
  ['startTime', ''],
  ['endTime', String(now + 1_001)],
  ['endTime', ''],
  ['maxResults', '1000'],
])('a %s that is not in its range, or not a number, is rejected with 9101: %j', async (name, value) => {
  expectFailure(await listVoided(server, app, { [name]: value }), 'searchRuleViolated', name);
});
