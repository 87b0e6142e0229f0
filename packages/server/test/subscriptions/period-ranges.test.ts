// Ranges of periods: the periods, the attempts and the events of a subscription that has been renewed for years.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { type Subscription, subscriptionEntriesMax } from '@opentill/contract/operator-resources.ts';
import { expect, test } from 'vitest';
import { createTestApp, supportKey, useTestServer } from '../../../../test/support/harness.ts';
import { callOperator, type OperationCall } from '../../../../test/support/http/checked-call.ts';
import { insertLongSubscription } from '../../../../test/support/subscriptions/long-subscription.ts';

type Query = NonNullable<OperationCall['query']>;

const periods = 1200;
const newest = periods - 1;

const server = await useTestServer();
const app = await createTestApp(server);
const path = { packageName: app.packageName, firstPurchaseId: 'long' };

await insertLongSubscription(server, { ...path, periods });

const tryRead = (query: Query) => callOperator(server, getSubscription, { path, query, key: supportKey });

async function read(query: Query = {}): Promise<Subscription> {
  const { status, body } = await tryRead(query);
  expect(status).toBe(200);
  return body;
}

const periodsOf = (rows: readonly { readonly periodIndex: number }[]) => rows.map((row) => row.periodIndex);

test.each<[string, Query, number, number]>([
  ['all periods without a range', {}, 0, newest],
  ['the periods of a range, both ends included', { fromPeriod: 100, toPeriod: 159 }, 100, 159],
  ['the periods from one on', { fromPeriod: 1140 }, 1140, newest],
  ['the periods up to one', { toPeriod: 2 }, 0, 2],
  ['the newest 60 periods', { newestPeriods: 60 }, 1140, newest],
  ['the newest period of a range', { fromPeriod: 5, toPeriod: 7, newestPeriods: 1 }, 7, 7],
])(
  'getSubscription returns %s with their events, and always the voided periods of all',
  async (_, query, first, last) => {
    const { periods: shown, events, lastPeriodIndex, voidedPeriods } = await read(query);
    const expected = Array.from({ length: last - first + 1 }, (__, index) => first + index);
    expect(periodsOf(shown)).toEqual(expected);
    expect(periodsOf(events)).toEqual(expected.toReversed().slice(0, subscriptionEntriesMax));
    expect([lastPeriodIndex, voidedPeriods]).toEqual([newest, [3]]);
  },
);

test('the attempts of a range are listed with number, key, due time, outcome and period, newest first', async () => {
  const { attempts } = await read({ fromPeriod: 13, toPeriod: 14 });
  expect(attempts.map((row) => [row.periodIndex, row.attempt, row.outcome])).toEqual([
    [14, 2, 'paid'],
    [14, 1, 'declined'],
    [13, 1, 'paid'],
  ]);
  expect(attempts[0]).toMatchObject({ idempotencyKey: 'key-14-2', purchaseId: 'long-14' });
  expect((await read()).attempts).toHaveLength(subscriptionEntriesMax);
});

test.each<[Query, string]>([
  [{ fromPeriod: 2, toPeriod: 1 }, 'toPeriod'],
  [{ fromPeriod: '1.5' }, 'fromPeriod'],
  [{ newestPeriods: 0 }, 'newestPeriods'],
])('getSubscription rejects the range %o with 400 and names the parameter', async (query, name) => {
  const { status, body } = await tryRead(query);
  expect([status, body.errors]).toEqual([400, [{ path: name, message: expect.any(String) }]]);
});
