// Ranges of months: the months, the attempts and the events of a subscription that has been renewed for years.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { listAttempts } from '@opentill/contract/operator-api/listAttempts.ts';
import { listSubscriptionEvents } from '@opentill/contract/operator-api/listSubscriptionEvents.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { SubscriptionEvent } from '@opentill/contract/operator-resources.ts';
import type { Attempt } from '@opentill/contract/renewals.ts';
import { expect, test } from 'vitest';
import { createTestApp, operatorOf, supportKey, useTestServer } from '../harness.ts';
import { callOperator, everyPage, type OperationCall } from '../operator-api/checked-call.ts';
import { insertLongSubscription } from './long-subscription.ts';

type Query = NonNullable<OperationCall['query']>;

const months = 1200;
const newest = months - 1;

const server = await useTestServer();
const app = await createTestApp(server);
const path = { packageName: app.packageName, firstPurchaseId: 'long' };
const now = await insertLongSubscription(server, { ...path, months });

function read(operation: OperatorOperation, query: Query = {}) {
  return callOperator(server, operation, { path, query, key: supportKey });
}

const periodsOf = (rows: readonly { readonly periodIndex: number }[]) => rows.map((row) => row.periodIndex);

test.each<[string, Query, number, number]>([
  ['all months without a range', {}, 0, newest],
  ['the months of a range, both ends included', { fromPeriod: 100, toPeriod: 159 }, 100, 159],
  ['the months from one on', { fromPeriod: 1140 }, 1140, newest],
  ['the months up to one', { toPeriod: 2 }, 0, 2],
  ['the newest 60 months', { newestMonths: 60 }, 1140, newest],
  ['the newest month of a range', { toPeriod: 7, newestMonths: 1 }, 7, 7],
  ['the month that both ends name', { fromPeriod: 5, toPeriod: 5 }, 5, 5],
])('getSubscription returns %s, and always the voided months of all', async (_, query, first, last) => {
  const { body } = await read(getSubscription, query);
  expect(periodsOf(body.months)).toEqual(
    Array.from({ length: last - first + 1 }, (__, index) => first + index),
  );
  expect([body.lastPeriodIndex, body.voidedPeriods]).toEqual([newest, [3]]);
});

test('getSubscription returns no months beyond the last, and a cancel returns them all', async () => {
  expect((await read(getSubscription, { fromPeriod: months })).body.months).toEqual([]);
  const operator = operatorOf(server);
  const cancelled = await operator.cancelSubscription({ ...path, reason: 'system' });
  expect(cancelled.months).toHaveLength(months);
  await operator.reactivateSubscription(path);
});

test('listAttempts lists the attempts of a range with number, key, due time, outcome and month, newest first', async () => {
  const { body } = await read(listAttempts, { fromPeriod: 13, toPeriod: 14 });
  expect(body.attempts.map((row: Attempt) => [row.periodIndex, row.attempt, row.outcome])).toEqual([
    [14, 2, 'paid'],
    [14, 1, 'declined'],
    [13, 1, 'paid'],
  ]);
  expect(body.attempts[0]).toMatchObject({ idempotencyKey: 'key-14-2', purchaseId: 'long-14' });
  const [first, second] = [{ pageSize: 2 }, { pageSize: 2, pageToken: '' }].map((page) => ({
    fromPeriod: 13,
    toPeriod: 14,
    ...page,
  }));
  const { nextPageToken } = (await read(listAttempts, first)).body;
  const rest = (await read(listAttempts, { ...second, pageToken: nextPageToken })).body;
  expect(rest).toEqual({ attempts: [body.attempts[2]] });
});

test('an event shows its month, author and request, and belongs to the month of its purchase', async () => {
  const { events } = (await read(listSubscriptionEvents)).body;
  expect(events.map((event: SubscriptionEvent) => [event.type, event.periodIndex, event.madeBy])).toEqual([
    ['subscription.auto_payment_reactivated', newest, 'operator:admin'],
    ['subscription.auto_payment_cancelled', newest, 'operator:admin'],
    ...Array.from({ length: 48 }, (_, index) => ['subscription.renewed', newest - index, 'job:renewals']),
  ]);
  const feed = await operatorOf(server).listEvents({
    packageName: app.packageName,
    after: String(months),
    pageSize: 2,
  });
  expect(feed.events.map(({ id }) => id).reverse()).toEqual([events[0].id, events[1].id]);
  expect(events[1]).toMatchObject({ eventTime: now, requestId: expect.any(String), order: months + 1 });
});

test.each<[string, Query, number, number]>([
  ['the newest 60 months without a range', {}, 1141, newest],
  ['60 months up to one', { toPeriod: 100 }, 41, 100],
  ['60 months from one on', { fromPeriod: 100 }, 100, 159],
  ['a range of 60 months', { fromPeriod: 40, toPeriod: 99 }, 40, 99],
  ['the first months', { toPeriod: 1 }, 0, 1],
])('listSubscriptionEvents covers %s, page by page', async (_, query, first, last) => {
  const pages = await everyPage((page) => read(listSubscriptionEvents, { ...query, ...page, pageSize: 25 }));
  const events: SubscriptionEvent[] = pages.flatMap((page) => page.events);
  const periods = periodsOf(events.filter((event) => !event.type.includes('auto_payment')));
  expect(periods).toEqual(Array.from({ length: last - first + 1 }, (__, index) => last - index));
});

test.each<[string, OperatorOperation, Query, string]>([
  ['getSubscription', getSubscription, { fromPeriod: 2, toPeriod: 1 }, 'toPeriod'],
  ['getSubscription', getSubscription, { fromPeriod: -1 }, 'fromPeriod'],
  ['getSubscription', getSubscription, { toPeriod: 1_000_000 }, 'toPeriod'],
  ['getSubscription', getSubscription, { newestMonths: 0 }, 'newestMonths'],
  ['listAttempts', listAttempts, { fromPeriod: 2, toPeriod: 1 }, 'toPeriod'],
  ['listAttempts', listAttempts, { fromPeriod: '1.5' }, 'fromPeriod'],
  ['listSubscriptionEvents', listSubscriptionEvents, { fromPeriod: 2, toPeriod: 1 }, 'toPeriod'],
  ['listSubscriptionEvents', listSubscriptionEvents, { fromPeriod: 40, toPeriod: 100 }, 'toPeriod'],
  ['listSubscriptionEvents', listSubscriptionEvents, { pageToken: 'x' }, 'pageToken'],
])('%s rejects the range %o with 400 and names the parameter', async (_, operation, query, name) => {
  const { status, body } = await read(operation, query);
  expect([status, body.errors]).toEqual([400, [{ path: name, message: expect.any(String) }]]);
});

test('listSubscriptionEvents returns 404 for a purchase that does not start a subscription', async () => {
  const later = { ...path, firstPurchaseId: 'long-5' };
  expect((await callOperator(server, listSubscriptionEvents, { path: later })).status).toBe(404);
});
