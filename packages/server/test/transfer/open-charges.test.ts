// Imported subscriptions with an open charge: renewals retry the attempt of each, so neither comes without the other.

import { expect, test } from 'vitest';
import { freshDatabase, useForFile } from '../harness.ts';
import { appLine, exportText, type Line, productLine } from './lines.ts';
import { imported, refusal } from './transfer.ts';

const packageName = 'com.example.open';
const time = 1_790_000_000_000;

const database = await useForFile(freshDatabase());
const basis = [appLine(packageName, 1), productLine(packageName, 'monthly', { type: 'subscription' })];

const subscription = (firstPurchaseId: string, more: object = {}): Line => ({
  kind: 'subscription',
  packageName,
  firstPurchaseId,
  productId: 'monthly',
  firstStart: time,
  timeZone: 'UTC',
  price: 1,
  currency: 'EUR',
  developerPayload: '',
  autoRenewing: true,
  expiryTime: time + 1,
  nextPaymentTime: time + 1,
  lastPeriodIndex: 0,
  lastPurchaseId: firstPurchaseId,
  lastStartTime: time,
  expiryTold: false,
  ...more,
});
const attempt = (firstPurchaseId: string): Line => ({
  kind: 'renewalAttempt',
  packageName,
  firstPurchaseId,
  periodIndex: 1,
  attempt: 1,
  idempotencyKey: firstPurchaseId,
  dueTime: time,
  begunTime: time,
  tries: 1,
  nextTryTime: time,
  madeBy: 'job:renewals',
  requestId: 'r',
  wasPending: false,
});
const open = { openChargeTime: time };

test.each([
  [
    'a subscription with an open charge but no open attempt',
    subscription('s-1', open),
    'Line 5: openChargeTime',
  ],
  ['an open attempt of a subscription without an open charge', attempt('s-2'), 'Line 5: nextTryTime'],
])('an import rejects %s, naming its line', async (_, line, place) => {
  const good = subscription('s-2');
  const lines = [...basis, good, line, subscription('s-0', open), attempt('s-0')];
  expect(await refusal(database.connection, exportText(lines))).toBe(
    `Nothing was imported. ${place}: expected an openChargeTime of the subscription and a nextTryTime of its attempt, got one of the two`,
  );
});

test('an import takes a subscription with an open charge together with its open attempt', async () => {
  const lines = [...basis, subscription('s-1', open), attempt('s-1')];
  expect(await imported(database.connection, exportText(lines))).toMatchObject({
    imported: { subscription: 1, renewalAttempt: 1 },
  });
});

test.each([
  ['an unresolved attempt', 's-3', { nextTryTime: undefined }],
  ['a paid attempt', 's-4', { nextTryTime: undefined, outcome: 'paid', settledTime: time }],
])('an import rejects %s of a subscription that would charge its month again', async (_, id, changed) => {
  const line = { ...attempt(id), ...changed };
  expect(await refusal(database.connection, exportText([...basis, subscription(id), line]))).toBe(
    'Nothing was imported. Line 5: periodIndex: expected a subscription that has this month or has ended, got one that would charge it again',
  );
  const cancelled = {
    autoRenewing: false,
    nextPaymentTime: undefined,
    cancelReason: '1',
    cancelledTime: time,
  };
  const ended = subscription(id, { ...cancelled, expiryTold: true });
  expect(await imported(database.connection, exportText([...basis, ended, line]))).toMatchObject({
    imported: { subscription: 1, renewalAttempt: 1 },
  });
});
