// A charge that the gateway reports as paid after it was settled as declined gives its period, or its money has to go back:
// no key is charged unnoticed, and no period is paid twice.

import { getSubscription } from '@opentill/contract/operator-api/getSubscription.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import type { Attempt } from '@opentill/contract/renewals.ts';
import { beforeEach, expect, test } from 'vitest';
import { attentionOf } from '../../../../test/support/calls/attention-calls.ts';
import { listedActions } from '../../../../test/support/calls/listed-actions.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import {
  chargeableMs,
  eventsOf,
  firstDue,
  hasty,
  hourMs,
  keyOf,
  lastDetails,
  lockWhenCharged,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import {
  auditSubscriptions,
  wrongSettlementAllows,
} from '../../../../test/support/renewals/subscription-audit.ts';
import type { Decision } from '../../../../test/support/renewals/test-gateway.ts';

const leaseMs = 20_000;

/** Two servers that wait for each other are slow on a busy machine. */
const answerWithinMs = 30_000;

let id: string;

const stage = await useForFile(startRenewalStage({ timeoutMs: answerWithinMs }));
const { server, app, clock } = stage;
const { job: otherJob } = await useForFile(openJob(server, stage, { timeoutMs: answerWithinMs }));
const other = { clock, job: otherJob };

beforeEach(async () => {
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

function settle(outcome: Attempt['outcome'], more: { readonly acknowledgeRefund?: boolean } = {}) {
  const path = { ...app, firstPurchaseId: id, periodIndex: '1', attempt: '1' };
  const body = { outcome, note: 'seen at the provider', ...more };
  return callOperator(server, settleAttempt, { path, body });
}

/** In order. */
const attempts = async (): Promise<Attempt[]> =>
  (
    await callOperator(server, getSubscription, { path: { ...app, firstPurchaseId: id } })
  ).body.attempts.reverse();

const periods = async () => (await shownSubscription(stage, id)).periods;

interface Held {
  /** The first attempt gets its paid. */
  readonly answer: () => Promise<void>;
  /** What the gateway does with other attempts. */
  readonly decide: (by: () => Decision) => void;
}

/** The first attempt is settled by hand while its charge is in flight. */
async function settleWrongly(outcome: 'declined' | 'declinedFinal' = 'declined'): Promise<Held> {
  const late = Promise.withResolvers<void>();
  let decide = (): Decision => ({ outcome: 'paid' });
  stage.gateway.decide(({ firstPurchaseId, periodIndex, attempt }) =>
    firstPurchaseId === id && periodIndex === 1 && attempt === 1
      ? { outcome: 'paid', trouble: { until: late.promise } }
      : decide(),
  );
  await clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  await clock.set(firstDue + leaseMs);
  expect((await settle(outcome)).body).toMatchObject({ state: 'settled', outcome });
  return {
    async answer() {
      late.resolve();
      await charging;
    },
    decide(by) {
      decide = by;
    },
  };
}

/** One action, one line of the log and one attention row name the charge, until it is acknowledged. */
async function expectRefundDue(outcome: 'declined' | 'paid' = 'declined'): Promise<void> {
  const idempotencyKey = keyOf(app, id, 1, 1);
  const ofSubscription = { packageName: app.packageName, firstPurchaseId: id };
  const refundDueTime = expect.any(Number);
  const [due] = await attempts();
  expect(due).toMatchObject({ state: 'refundDue', outcome, idempotencyKey, refundDueTime });
  const lines = stage.told.logLines.map((text) => JSON.parse(text));
  expect(lines.filter(({ code }) => code === 'refundDue')).toMatchObject([{ level: 50, idempotencyKey }]);
  const actions = async () => listedActions(server, { operationId: 'settleAttempt', subject: id });
  const [first] = (await actions()).filter(({ detail }) => detail?.refund === 'due');
  expect(first).toMatchObject({ madeBy: 'job:renewals', detail: { idempotencyKey } });
  const row = { count: 1, target: { page: 'subscription', ...ofSubscription } };
  expect(await attentionOf(server, 'charges')).toMatchObject([row]);
  const wrong = outcome === 'paid' ? 'declined' : 'paid';
  expect((await settle(wrong, { acknowledgeRefund: true })).status).toBe(409);
  const repeated = await settle(outcome);
  expect([repeated.status, repeated.body]).toEqual([200, due]);
  expect(await attentionOf(server, 'charges')).toMatchObject([row]);
  const acknowledged = await settle(outcome, { acknowledgeRefund: true });
  expect([acknowledged.status, acknowledged.body.state]).toEqual([200, 'settled']);
  expect((await settle(outcome, { acknowledgeRefund: true })).body).toEqual(acknowledged.body);
  expect(await attentionOf(server, 'charges')).toEqual([]);
  const [last] = await actions();
  expect(last).toMatchObject({ madeBy: 'operator:admin', detail: { refund: 'acknowledged' } });
  expect(await actions()).toHaveLength(3);
}

async function expectSound(): Promise<void> {
  const { problems } = await auditSubscriptions(server.connection, stage.gateway.taken, clock.now());
  expect(problems.filter((problem) => !wrongSettlementAllows.test(problem))).toEqual([]);
}

test('a charge that may be in flight cannot be settled by hand', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  await clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  const possibleAt = firstDue + leaseMs;
  await clock.set(possibleAt - 1);
  const { status, body } = await settle('declined');
  expect([status, body.detail]).toEqual([409, expect.stringContaining(new Date(possibleAt).toISOString())]);
  answer.resolve();
  await charging;
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a late paid gives its period if that is unpaid, and charges go on with the next', async () => {
  const { answer } = await settleWrongly();
  await answer();
  expect(await attempts()).toMatchObject([{ state: 'settled', outcome: 'paid', attempt: 1 }]);
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect(stage.told).toMatchObject({ logLines: [] });
  await passTo(stage, secondDue);
  expect(orders().map(({ periodIndex }) => periodIndex)).toEqual([1, 2]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed', 'renewed']);
  await expectSound();
});

test('a late paid between two attempts gives its period, and no other attempt follows', async () => {
  const { answer, decide } = await settleWrongly();
  decide(() => ({ outcome: 'declined' }));
  await passTo(other, firstDue + hourMs);
  await answer();
  await passTo(other, firstDue + 24 * hourMs);
  expect(orders().map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(await attempts()).toMatchObject([{ outcome: 'paid' }, { outcome: 'declined' }]);
  expect(await periods()).toHaveLength(2);
});

test.each(['late paid first', 'second attempt first'])(
  'a late paid next to another attempt that is paid has to go back, and the period is given once: %s',
  async (order) => {
    const before = stage.told.refundsDue;
    const { answer, decide } = await settleWrongly();
    const second = Promise.withResolvers<void>();
    decide(() => ({ outcome: 'paid', trouble: { until: second.promise } }));
    await clock.set(firstDue + hourMs);
    const charging = otherJob.runOnce();
    await expect.poll(() => orders().length).toBe(2);
    if (order === 'late paid first') await answer();
    second.resolve();
    await charging;
    if (order !== 'late paid first') await answer();
    expect(await periods()).toMatchObject([{ periodIndex: 0 }, { periodIndex: 1, purchaseState: 0 }]);
    expect(stage.told.refundsDue).toBe(before + 1);
    await expectRefundDue();
    await passTo(stage, secondDue);
    expect(orders().map(({ periodIndex }) => periodIndex)).toEqual([1, 1, 2]);
    expect(await eventsOf(stage, id)).toEqual(['started', 'payment_failed', 'renewed', 'renewed']);
    await expectSound();
  },
);

test('while a second attempt is in flight nothing is charged, and after its decline the next one follows', async () => {
  const { answer, decide } = await settleWrongly();
  const second = Promise.withResolvers<void>();
  decide(() => ({ outcome: 'declined', trouble: { until: second.promise } }));
  await clock.set(firstDue + hourMs);
  const charging = otherJob.runOnce();
  await expect.poll(() => orders().length).toBe(2);
  await answer();
  await passTo(stage, firstDue + hourMs + leaseMs - 1);
  expect(orders()).toHaveLength(2);
  second.resolve();
  await charging;
  decide(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue + 6 * hourMs);
  expect(orders().map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(await periods()).toHaveLength(2);
  await expectRefundDue();
});

test.each([
  ['after the end', 'declinedFinal' as const, firstDue + hourMs],
  ['after two thirds of its period', 'declined' as const, firstDue + chargeableMs + hourMs],
])('a late paid %s is recorded and voided, and has to go back', async (_, outcome, at) => {
  const { answer } = await settleWrongly(outcome);
  await clock.set(at);
  await answer();
  expect(await periods()).toMatchObject([{ purchaseState: 0 }, { periodIndex: 1, purchaseState: 1 }]);
  expect(await shownSubscription(stage, id)).toMatchObject({ state: 'expired', expiryTime: firstDue });
  expect(await eventsOf(stage, id)).toEqual([
    ...['started', 'payment_failed', 'expired'],
    ...['purchase.completed', 'purchase.voided'],
  ]);
  await expectRefundDue('paid');
  await expectSound();
});

test('a late paid after the end writes no period that an attempt in flight may still pay', async () => {
  const { answer, decide } = await settleWrongly();
  decide(() => ({ outcome: 'pending' }));
  await passTo(other, firstDue + hourMs);
  await passTo(other, firstDue + chargeableMs + hourMs);
  await answer();
  expect(await periods()).toHaveLength(1);
  await expectRefundDue();
  decide(() => ({ outcome: 'paid' }));
  await passTo(other, firstDue + chargeableMs + 3 * hourMs);
  expect(await periods()).toMatchObject([{ purchaseState: 0 }, { periodIndex: 1, purchaseState: 1 }]);
  await expectSound();
});

test('a paid that waits for a lock while its attempt is settled as declined has to go back', async () => {
  await using locked = await lockWhenCharged(stage, id);
  await using opened = openJob(server, stage, hasty);
  await passTo({ clock, job: opened.job }, firstDue);
  await locked.commit();
  await clock.set(firstDue + leaseMs);
  expect((await settle('declinedFinal')).body).toMatchObject({ state: 'settled' });
  await opened.job.runOnce();
  expect(await periods()).toMatchObject([{ purchaseState: 0 }, { periodIndex: 1, purchaseState: 1 }]);
  expect(orders()).toHaveLength(1);
  await expectRefundDue('paid');
  await expectSound();
});

test('a late paid of a charge that was settled as paid changes nothing', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  await clock.set(firstDue);
  const charging = stage.job.runOnce();
  await expect.poll(() => orders().length).toBe(1);
  await query(server.connection, 'update renewal_attempt set lease_until = 0 where outcome is null');
  expect((await settle('paid')).status).toBe(200);
  answer.resolve();
  await charging;
  expect(await attempts()).toMatchObject([{ state: 'settled', outcome: 'paid' }]);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a refund cannot be acknowledged before an attempt is settled', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  const { status, body } = await settle('declined', { acknowledgeRefund: true });
  expect([status, body.detail]).toEqual([409, expect.stringContaining('has no outcome yet')]);
  expect(await attempts()).toMatchObject([{ state: 'open' }]);
});
