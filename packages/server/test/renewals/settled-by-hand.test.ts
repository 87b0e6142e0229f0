// Attempts to charge a period as operators list them, and as an admin settles them by hand.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import type { Attempt } from '@opentill/contract/renewals.ts';
import { beforeEach, expect, test } from 'vitest';
import { operate, useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
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
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
const { server, app } = stage;

beforeEach(async () => {
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

async function attemptsOf(): Promise<Attempt[]> {
  const path = { ...app, firstPurchaseId: id };
  return (await callOperator(server, getSubscription, { path })).body.attempts;
}

function settle(outcome: Attempt['outcome'], number: object = {}) {
  const path = { ...app, firstPurchaseId: id, periodIndex: '1', attempt: '1', ...number };
  return callOperator(server, settleAttempt, { path, body: { outcome, note: 'seen at the provider' } });
}

/** The request is lost on its way to the gateway. */
async function leaveUnresolved(): Promise<void> {
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
  await passTo(stage, firstDue);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + chargeableMs + hourMs);
}

test('an unresolved attempt is reported by getRenewals until it is settled, and a paid one is recorded and voided', async () => {
  await leaveUnresolved();
  const [unresolved] = await attemptsOf();
  expect(unresolved).toMatchObject({ state: 'unresolved' });
  const renewals = async () =>
    (await operate(server, 'GET', `/renewals?packageName=${app.packageName}`)).body;
  expect(await renewals()).toMatchObject({
    unresolvedAttempts: 1,
    openAttempts: 0,
    unresolved: [unresolved],
  });
  const settled = await settle('paid');
  expect(settled.body).toMatchObject({ state: 'settled', outcome: 'paid' });
  expect(await renewals()).toMatchObject({ unresolvedAttempts: 0, unresolved: [] });
  const events = ['started', 'expired', 'purchase.completed', 'purchase.voided'];
  expect(await eventsOf(stage, id)).toEqual(events);
  expect(await newestEvents(stage, id, 1)).toMatchObject([{ voidCause: 'system', price: 499 }]);
});

test('settling an attempt again returns 200 with the same outcome and 409 with another, and changes nothing', async () => {
  await leaveUnresolved();
  const first = await settle('declined');
  expect([first.status, first.body.outcome]).toEqual([200, 'declined']);
  const repeated = await settle('declined');
  expect([repeated.status, repeated.body]).toEqual([200, first.body]);
  for (const outcome of ['paid', 'declinedFinal'] as const) {
    const { status, body } = await settle(outcome);
    expect([status, body.detail]).toEqual([409, expect.stringContaining('expected the outcome declined')]);
  }
  expect(await eventsOf(stage, id)).toEqual(['started', 'expired']);
});

test('an open attempt settled as paid starts its period, and as declined is followed by the next attempt', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  expect((await settle('declined')).status).toBe(200);
  await passTo(stage, firstDue + hourMs);
  expect(orders().at(-1)).toMatchObject({ attempt: 2, idempotencyKey: keyOf(app, id, 1, 2) });
  expect((await settle('paid', { attempt: '2' })).body).toMatchObject({ purchaseId: expect.any(String) });
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed']);
});

test('an open attempt keeps the idempotency key that is stored with it', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  const earlier = `${app.packageName}/${id}/1/1`;
  const sql = `update renewal_attempt set idempotency_key = $1 where first_purchase_id = $2`;
  await query(server.connection, sql, [earlier, id]);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + dayMs);
  expect(orders().map(({ idempotencyKey }) => idempotencyKey)).toEqual([keyOf(app, id, 1, 1), earlier]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a payment that is written over a minute after two thirds of the period is recorded and voided, and the subscription expires', async () => {
  const paidTime = firstDue + chargeableMs + 60_001;
  stage.gateway.decide(async () => {
    await stage.clock.set(paidTime);
    return { outcome: 'paid' };
  });
  await passTo(stage, firstDue);
  const afterEnd = ['expired', 'purchase.completed', 'purchase.voided'];
  expect(await eventsOf(stage, id)).toEqual(['started', ...afterEnd]);
  const [expired] = await newestEvents(stage, id, 3);
  expect(expired).toMatchObject({ purchaseId: id, expiryReason: 'overdue', eventTime: paidTime });
  expect(await shownSubscription(stage, id)).toMatchObject({
    state: 'expired',
    expiryTime: firstDue,
    cancelledTime: paidTime,
    cause: { kind: 'overdue', attempt: { periodIndex: 1, attempt: 1 } },
    periods: [{ purchaseState: 0 }, { startTime: firstDue, expiryTime: secondDue, purchaseState: 1 }],
  });
});

test.each([
  ['the period if it could have been charged a minute ago', 60_000, ['renewed']],
  ['nothing later', 60_001, ['expired', 'purchase.completed', 'purchase.voided']],
])('a payment that is written during a pause gives %s', async (_, lateMs, events) => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  const body = { packageName: app.packageName };
  await callOperator(server, pauseRenewals, { body });
  await passTo(stage, firstDue + Math.floor(((secondDue - firstDue) * 2) / 3) + lateMs);
  expect((await settle('paid')).body).toMatchObject({ state: 'settled', purchaseId: expect.any(String) });
  await callOperator(server, resumeRenewals, { body });
  expect(await eventsOf(stage, id)).toEqual(['started', ...events]);
});
