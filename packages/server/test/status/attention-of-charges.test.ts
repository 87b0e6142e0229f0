// What needs attention about charges, in production: each kind begins and ends.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import { beforeEach, expect, test } from 'vitest';
import {
  attentionMetric,
  attentionOf,
  rememberedMs,
} from '../../../../test/support/calls/attention-calls.ts';
import { startTestServer, useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import {
  chargeableMs,
  dayMs,
  firstDue,
  hourMs,
  nextSubscription,
  passTo,
  stageEnv,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { removeClockMark, setClockMark } from '../../../../test/support/stage.ts';
import { minuteMs } from '../../src/domain/time.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
const { server, app, clock, gateway } = stage;
const { packageName } = app;
const ofRenewals = { page: 'renewals', packageName };

/** The row of one item of the app. */
const one = (since: number, target: object) => [{ packageName, count: 1, since, target }];
const ofSubscription = () => ({ page: 'subscription', packageName, firstPurchaseId: id });

/** Settles the first attempt, or acknowledges its refund. */
async function settle(outcome = 'declined', more: object = {}): Promise<void> {
  const path = { packageName, firstPurchaseId: id, periodIndex: '1', attempt: '1' };
  await callOperator(server, settleAttempt, { path, body: { outcome, note: 'looked up', ...more } });
}

beforeEach(async () => {
  await query(
    server.connection,
    'delete from subscription; delete from renewal_attempt; delete from renewal_pause',
  );
  gateway.decide(() => ({ outcome: 'paid' }));
  id = await nextSubscription(stage);
});

test('renewals need attention when they have been due for over 10 minutes, until they are made', async () => {
  await clock.set(firstDue + 10 * minuteMs - rememberedMs - 1);
  expect(await attentionOf(server, 'renewals')).toEqual([]);
  expect(await attentionOf(server, 'renewals')).toEqual(one(firstDue, ofRenewals));
  await stage.job.runOnce();
  expect(await attentionOf(server, 'renewals')).toEqual([]);
});

test('paused renewals need attention since they were paused, not since they are overdue, until they are resumed', async () => {
  const pausedAt = firstDue + hourMs;
  await clock.set(pausedAt);
  await callOperator(server, pauseRenewals, { body: { packageName } });
  expect(await attentionOf(server, 'renewals')).toEqual(one(pausedAt, ofRenewals));
  await callOperator(server, pauseRenewals, { body: {} });
  await callOperator(server, resumeRenewals, { body: { packageName } });
  expect(await attentionOf(server, 'renewals')).toEqual([
    { count: 1, since: expect.any(Number), target: { page: 'renewals' } },
  ]);
  await callOperator(server, resumeRenewals, { body: {} });
  await stage.job.runOnce();
  expect(await attentionOf(server, 'renewals')).toEqual([]);
});

test('payments need attention when they are outstanding for over 3 days, until one succeeds', async () => {
  gateway.decide(() => ({ outcome: 'declined' }));
  await passTo(stage, firstDue);
  await clock.set(firstDue + 3 * dayMs - rememberedMs - 1);
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual([]);
  const target = { page: 'subscriptions', packageName, state: 'paymentOutstanding' };
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual(one(firstDue, target));
  gateway.decide(() => ({ outcome: 'paid' }));
  await stage.job.runOnce();
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual([]);
});

test('a charge needs attention when its latest tries have had no answer for 10 minutes, whatever earlier ones got', async () => {
  gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  await clock.set(firstDue + hourMs);
  gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
  await stage.job.runOnce();
  const silentSince = clock.now();
  await clock.set(silentSince + 10 * minuteMs - rememberedMs - 1);
  expect(await attentionOf(server, 'charges')).toEqual([]);
  const row = [{ ...one(silentSince, ofSubscription())[0], reason: 'connection lost' }];
  expect(await attentionOf(server, 'charges')).toEqual(row);
  expect(await attentionMetric(server, 'charges')).toEqual({ '': 0, [packageName]: 1 });
  await stage.job.runOnce();
  expect(await attentionOf(server, 'charges')).toEqual(row);
  // The first one without an answer, and when it has had none for too long.
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, app: packageName, reason: 'connection lost', msg: expect.stringContaining('is retried') },
    { code: 'gatewaySilent', app: packageName, reason: 'connection lost' },
  ]);
  await clock.set(silentSince + hourMs);
  gateway.decide(() => ({ outcome: 'pending' }));
  await stage.job.runOnce();
  expect(await attentionOf(server, 'charges')).toEqual([]);
});

test('a charge whose outcome has a name that is not known needs attention with that name and the expected ones', async () => {
  gateway.decide(() => ({ outcome: 'declined_final' as 'declined' }));
  await passTo(stage, firstDue);
  const since = clock.now();
  await clock.set(since + 10 * minuteMs);
  const reason = 'outcome: expected paid, declined, declinedFinal or pending, got "declined_final"';
  expect(await attentionOf(server, 'charges')).toEqual([{ ...one(since, ofSubscription())[0], reason }]);
  await settle('declinedFinal');
  expect(await attentionOf(server, 'charges')).toEqual([]);
});

test('a charge of unknown outcome that is not retried needs attention until it is settled', async () => {
  gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
  await passTo(stage, firstDue);
  await passTo(stage, firstDue + chargeableMs + hourMs);
  expect(await attentionOf(server, 'charges')).toEqual(one(firstDue, ofSubscription()));
  await settle();
  expect(await attentionOf(server, 'charges')).toEqual([]);
});

test('a charge whose money has to go back needs attention until an operator acknowledges it', async () => {
  gateway.decide(() => ({ outcome: 'declinedFinal' }));
  await passTo(stage, firstDue);
  await query(
    server.connection,
    'update renewal_attempt set refund_due_time = settled_time where first_purchase_id = $1',
    [id],
  );
  expect(await attentionOf(server, 'charges')).toEqual(one(firstDue, ofSubscription()));
  await settle('declinedFinal', { acknowledgeRefund: true });
  expect(await attentionOf(server, 'charges')).toEqual([]);
});

test('held work needs attention until an operator confirms the clock', async () => {
  await setClockMark(server, clock.now() - 4 * dayMs);
  await using held = await startTestServer({
    clock,
    database: server,
    comparesClocks: true,
    env: stageEnv(gateway),
  });
  expect(await attentionOf(held, 'renewals')).toEqual([{ count: 1, target: { page: 'renewals' } }]);
  await callOperator(held, resumeRenewals, { body: {} });
  expect(await attentionOf(held, 'renewals')).toEqual([]);
  await removeClockMark(server);
});
