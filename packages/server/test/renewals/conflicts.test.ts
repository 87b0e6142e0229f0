// A charge that the gateway reports as paid after it was settled as declined: no key is charged twice unnoticed.

import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import type { Attempt } from '@opentill/contract/renewals.ts';
import { beforeEach, expect, test } from 'vitest';
import { listedActions } from '../audit/listed-actions.ts';
import { query } from '../embedded/scratch.ts';
import { useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import {
  chargeableMs,
  dayMs,
  eventsOf,
  firstDue,
  hourMs,
  keyOf,
  lastDetails,
  newestEvents,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
} from './renewal-stage.ts';

const leaseMs = 20_000;
const minuteMs = 60_000;

/** Two servers that wait for each other are slow on a busy machine. */
const answerWithinMs = 30_000;

let id: string;

const stage = await useForFile(startRenewalStage({ timeoutMs: answerWithinMs }));
const { server, app } = stage;

beforeEach(async () => {
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

function settle(outcome: Attempt['outcome'], attempt = 1) {
  const path = { ...app, firstPurchaseId: id, periodIndex: '1', attempt: String(attempt) };
  return callOperator(server, settleAttempt, { path, body: { outcome, note: 'seen at the provider' } });
}

const attempts = async (): Promise<Attempt[]> =>
  (await callOperator(server, getSubscription, { path: { ...app, firstPurchaseId: id } })).body.attempts;

const conflictsListed = async () => {
  const { body } = await callOperator(server, getRenewals, { query: { packageName: app.packageName } });
  const ofThis = body.conflicts.filter(({ firstPurchaseId }: Attempt) => firstPurchaseId === id);
  return ofThis.map(({ idempotencyKey }: Attempt) => idempotencyKey);
};

const lastAction = async () =>
  (await listedActions(server, { operationId: 'settleAttempt', subject: id })).at(0);

/** The first attempt is settled by hand as declined while its charge is in flight, and then paid after all. */
async function settleWrongly(inBetween: () => Promise<void> = async () => undefined): Promise<void> {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(({ firstPurchaseId, attempt }) => {
    const isLate = firstPurchaseId === id && attempt === 1;
    return { outcome: 'paid', trouble: isLate ? { until: answer.promise } : 'none' };
  });
  await stage.clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  await stage.clock.set(firstDue + leaseMs);
  expect((await settle('declined')).body).toMatchObject({ state: 'settled', outcome: 'declined' });
  await inBetween();
  answer.resolve();
  await charging;
}

test('a charge that may be in flight cannot be settled by hand', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  await stage.clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  const possibleAt = firstDue + leaseMs;
  await stage.clock.set(possibleAt - 1);
  const { status, body } = await settle('declined');
  expect([status, body.detail]).toEqual([409, expect.stringContaining(new Date(possibleAt).toISOString())]);
  answer.resolve();
  await charging;
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a paid that contradicts a settlement as declined is a conflict, which is listed and counted and begins no charge', async () => {
  const before = stage.told.conflicts;
  await settleWrongly();
  for (const later of [hourMs, dayMs, dayMs + hourMs, chargeableMs]) await passTo(stage, firstDue + later);
  expect(orders()).toHaveLength(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed']);
  const key = keyOf(app, id, 1, 1);
  expect(await conflictsListed()).toEqual([key]);
  expect(stage.told.conflicts).toBe(before + 1);
  const [line] = stage.told.logLines.map((text) => JSON.parse(text));
  expect(line).toMatchObject({ level: 50, app: app.packageName, idempotencyKey: key });
  const conflictTime = firstDue + leaseMs;
  expect(await attempts()).toMatchObject([{ state: 'conflict', outcome: 'declined', conflictTime }]);
  expect((await shownSubscription(stage, id)).cause).toMatchObject({
    kind: 'conflict',
    attempt: { periodIndex: 1, attempt: 1 },
  });
  await passTo(stage, firstDue + chargeableMs + hourMs);
  expect(await newestEvents(stage, id, 1)).toMatchObject([
    { type: 'subscription.expired', expiryReason: 'overdue' },
  ]);
  expect((await settle('paid')).body).toMatchObject({ state: 'settled', outcome: 'paid' });
  const afterEnd = ['purchase.completed', 'purchase.voided'];
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'expired', ...afterEnd]);
});

test('a conflict that is settled as paid gives its month, and charges go on with the next', async () => {
  await settleWrongly();
  await passTo(stage, firstDue + hourMs);
  const settled = (await settle('paid')).body;
  expect(settled).toMatchObject({ state: 'settled', outcome: 'paid', purchaseId: expect.any(String) });
  expect((await settle('paid')).body).toEqual(settled);
  expect(await conflictsListed()).toEqual([]);
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  await passTo(stage, secondDue);
  expect(orders().map(({ periodIndex }) => periodIndex)).toEqual([1, 2]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed', 'renewed']);
});

test('a conflict that is settled as declined lets the next attempt begin', async () => {
  await settleWrongly();
  await passTo(stage, firstDue + hourMs);
  expect((await settle('declined_final')).status).toBe(409);
  const settled = (await settle('declined')).body;
  expect(settled).toMatchObject({ state: 'settled', outcome: 'declined' });
  expect((await settle('declined')).body).toEqual(settled);
  await passTo(stage, firstDue + 2 * hourMs);
  expect(orders().map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed']);
});

test('a conflict of a month that another attempt paid records nothing when settled as paid, and the action names the key to refund', async () => {
  await using other = openJob(server, stage, { timeoutMs: answerWithinMs });
  await settleWrongly(() => passTo({ clock: stage.clock, job: other.job }, firstDue + hourMs));
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed']);
  await passTo(stage, secondDue);
  expect(orders()).toHaveLength(2);
  expect((await settle('paid')).body).toMatchObject({ state: 'settled', outcome: 'paid' });
  expect((await lastAction())?.detail).toContain(`refund ${keyOf(app, id, 1, 1)}`);
  expect((await shownSubscription(stage, id)).months).toHaveLength(2);
  await passTo(stage, secondDue + hourMs);
  expect(orders().map(({ periodIndex }) => periodIndex)).toEqual([1, 1, 2]);
});

test('a conflict also stops the retries of a later attempt of unknown outcome, which has to be settled first', async () => {
  await using other = openJob(server, stage, { timeoutMs: answerWithinMs });
  await settleWrongly(async () => {
    stage.gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
    await passTo({ clock: stage.clock, job: other.job }, firstDue + hourMs);
  });
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  const sent = orders().length;
  for (const later of [minuteMs, hourMs, dayMs]) await passTo(stage, firstDue + hourMs + later);
  expect(orders()).toHaveLength(sent);
  const { status, body } = await settle('paid');
  expect([status, body.detail]).toEqual([409, expect.stringContaining('attempt 2')]);
  expect((await settle('declined', 2)).status).toBe(200);
  expect((await settle('paid')).status).toBe(200);
  const declined = ['payment_failed', 'payment_failed'];
  expect(await eventsOf(stage, id)).toEqual(['started', ...declined, 'renewed']);
});

test('a late paid of a charge that was settled as paid is no conflict', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  await stage.clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  await query(server.connection, 'update renewal_attempt set lease_until = 0 where outcome is null');
  expect((await settle('paid')).status).toBe(200);
  answer.resolve();
  await charging;
  expect(await conflictsListed()).toEqual([]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});
