// Charges that are late: up to the grace they are made, later the subscription expires, and what is paid nevertheless is
// recorded and voided.

import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import { beforeEach, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import { operate, useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { setAttemptLease } from '../stage.ts';
import {
  dayMs,
  eventsOf,
  firstDue,
  graceMs,
  hourMs,
  lastDetails,
  newestEvents,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  stageStart,
  startRenewalStage,
} from './renewal-stage.ts';
import type { Decision } from './test-gateway.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

function deciding(decision: Decision): void {
  stage.gateway.decide(({ firstPurchaseId }) => (firstPurchaseId === id ? decision : { outcome: 'paid' }));
}

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);
const paidAfterEnd = ['purchase.completed', 'purchase.voided'];

test('a server whose clock is a year ahead charges no month, and the subscription expires as overdue', async () => {
  deciding({ outcome: 'paid' });
  const now = stageStart + 365 * dayMs;
  await passTo(stage, now);
  expect(orders()).toEqual([]);
  expect(await shownSubscription(stage, id)).toMatchObject({
    state: 'expired',
    expiryTime: firstDue,
    cancelReason: 'system',
    cancelledTime: now,
  });
  expect(await newestEvents(stage, id, 1)).toMatchObject([
    { type: 'subscription.expired', eventTime: now, expiryReason: 'overdue' },
  ]);
});

test('a month that was pending until its subscription expired is recorded and voided, and no other is charged', async () => {
  deciding({ outcome: 'pending' });
  await passTo(stage, stageStart + 31 * dayMs);
  deciding({ outcome: 'paid' });
  const day74 = stageStart + 74 * dayMs;
  for (const later of [0, hourMs, 2 * hourMs]) await passTo(stage, day74 + later);
  expect(new Set(orders().map(({ periodIndex }) => periodIndex))).toEqual(new Set([1]));
  const [key] = orders().map(({ idempotencyKey }) => idempotencyKey);
  expect(stage.gateway.taken.get(key ?? '')).toBe(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired', ...paidAfterEnd]);
  expect(await shownSubscription(stage, id)).toMatchObject({
    state: 'expired',
    expiryTime: firstDue,
    months: [{ purchaseState: 0 }, { startTime: firstDue, expiryTime: secondDue, purchaseState: 1 }],
  });
});

test('a server that dies before the commit leaves neither the month that was paid too late nor its void', async () => {
  deciding({ outcome: 'pending' });
  await passTo(stage, firstDue);
  const late = firstDue + graceMs + hourMs;
  await passTo(stage, late);
  deciding({ outcome: 'paid' });
  const killed = openJob(stage.server, stage, {
    testing: {
      crashPoints(point) {
        if (point === 'beforeCommit') throw new Error('killed');
      },
    },
  });
  await stage.clock.set(late + hourMs);
  await killed.job.runOnce();
  await killed[Symbol.asyncDispose]();
  expect((await shownSubscription(stage, id)).months).toHaveLength(1);
  await passTo(stage, late + 2 * hourMs);
  expect((await shownSubscription(stage, id)).months).toMatchObject([{}, { purchaseState: 1 }]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired', ...paidAfterEnd]);
});

test('past the grace a charge of unknown outcome is not sent again, stays open, and is logged once', async () => {
  deciding({ outcome: 'paid', trouble: 'lostRequest' });
  await passTo(stage, firstDue);
  await passTo(stage, firstDue + graceMs);
  const sent = orders().length;
  stage.told.logLines.length = 0;
  deciding({ outcome: 'paid' });
  for (const later of [1, hourMs, 30 * dayMs]) await passTo(stage, firstDue + graceMs + later);
  expect(orders()).toHaveLength(sent);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired']);
  const attempts = await query(
    stage.server.connection,
    `select outcome, next_try_time from renewal_attempt where first_purchase_id = '${id}'`,
  );
  expect(attempts).toEqual([{ outcome: null, next_try_time: null }]);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 40, idempotencyKey: orders()[0]?.idempotencyKey }),
  ]);
});

test('a charge whose lease ends next year expires its subscription past the grace', async () => {
  deciding({ outcome: 'paid', trouble: 'lostRequest' });
  await passTo(stage, firstDue);
  await setAttemptLease(stage.server, id, firstDue + 365 * dayMs);
  await passTo(stage, firstDue + graceMs + 1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired']);
});

test('a cancelled subscription with a pending charge expires with the reason of the cancel', async () => {
  deciding({ outcome: 'pending' });
  await passTo(stage, firstDue);
  const { packageName } = stage.app;
  const path = `/apps/${packageName}/subscriptions/${id}/cancel`;
  expect((await operate(stage.server, 'POST', path, { body: { reason: 'customer' } })).status).toBe(200);
  await passTo(stage, firstDue + graceMs + 1);
  expect(await newestEvents(stage, id, 1)).toMatchObject([
    { type: 'subscription.expired', expiryReason: 'cancelled' },
  ]);
  expect(await shownSubscription(stage, id)).toMatchObject({ cancelReason: 'customer' });
});

test('a grace of one day expires what is charged a day and a millisecond late', async () => {
  await using short = openJob(stage.server, stage, { graceMs: dayMs });
  await stage.clock.set(firstDue + dayMs + 1);
  await short.job.runOnce();
  expect(orders()).toEqual([]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired']);
});

test('after the app is enabled again its overdue payment is charged, unless its month is over by then', async () => {
  deciding({ outcome: 'paid' });
  const { server, app } = stage;
  const setDisabled = (disabled: boolean) =>
    callOperator(server, updateApp, { path: app, body: { disabled } });
  await setDisabled(true);
  await passTo(stage, firstDue + 20 * dayMs);
  await setDisabled(false);
  await stage.job.runOnce();
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  await setDisabled(true);
  await passTo(stage, secondDue + 30 * dayMs);
  await setDisabled(false);
  await stage.job.runOnce();
  expect(orders()).toHaveLength(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed', 'expired']);
});
