// What needs attention about charges, in production: each kind begins and ends.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { beforeEach, expect, test } from 'vitest';
import { minuteMs } from '../../src/domain/time.ts';
import { query } from '../embedded/scratch.ts';
import { recordTestPurchase, startTestServer, useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import {
  dayMs,
  firstDue,
  graceMs,
  hourMs,
  nextSubscription,
  passTo,
  stageEnv,
  startRenewalStage,
} from '../renewals/renewal-stage.ts';
import { removeClockMark, setClockMark } from '../stage.ts';
import { attentionOf, rememberedMs } from './attention-calls.ts';

let id: string;

const stage = await useForFile(startRenewalStage());
const { server, app, clock, gateway } = stage;
const { packageName } = app;
const ofRenewals = { page: 'renewals', packageName };

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
  expect(await attentionOf(server, 'renewalsOverdue')).toEqual([]);
  expect(await attentionOf(server, 'renewalsOverdue')).toEqual([
    { packageName, count: 1, since: firstDue, target: ofRenewals },
  ]);
  await stage.job.runOnce();
  expect(await attentionOf(server, 'renewalsOverdue')).toEqual([]);
});

test('paused renewals need attention as paused, and not as overdue, until they are resumed', async () => {
  const pausedAt = firstDue + hourMs;
  await clock.set(pausedAt);
  const query = { packageName };
  await callOperator(server, pauseRenewals, { body: query });
  expect(await attentionOf(server, 'paused')).toEqual([
    { packageName, count: 1, since: pausedAt, target: ofRenewals },
  ]);
  expect(await attentionOf(server, 'renewalsOverdue')).toEqual([]);
  await callOperator(server, resumeRenewals, { body: query });
  expect(await attentionOf(server, 'paused')).toEqual([]);
  await callOperator(server, pauseRenewals, { body: {} });
  expect(await attentionOf(server, 'paused')).toMatchObject([{ count: 1, target: { page: 'renewals' } }]);
  expect(await attentionOf(server, 'renewalsOverdue')).toEqual([]);
  await callOperator(server, resumeRenewals, { body: {} });
  expect(await attentionOf(server, 'paused')).toEqual([]);
});

test('payments need attention when they are outstanding for over 24 hours, until one succeeds', async () => {
  gateway.decide(() => ({ outcome: 'declined' }));
  await passTo(stage, firstDue);
  await clock.set(firstDue + dayMs - rememberedMs - 1);
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual([]);
  const target = { page: 'subscriptions', packageName, state: 'payment_outstanding' };
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual([
    { packageName, count: 1, since: firstDue, target },
  ]);
  gateway.decide(() => ({ outcome: 'paid' }));
  await stage.job.runOnce();
  expect(await attentionOf(server, 'paymentsOutstanding')).toEqual([]);
});

test('the gateway needs attention when charges have had no clear response for 10 minutes, until one has', async () => {
  gateway.decide(() => ({ outcome: 'paid', trouble: { status: 503 } }));
  await passTo(stage, firstDue);
  await clock.set(firstDue + 10 * minuteMs - rememberedMs - 1);
  expect(await attentionOf(server, 'gatewaySilent')).toEqual([]);
  const target = { page: 'status' };
  expect(await attentionOf(server, 'gatewaySilent')).toEqual([{ count: 1, since: firstDue, target }]);
  gateway.decide(() => ({ outcome: 'pending' }));
  await stage.job.runOnce();
  expect(await attentionOf(server, 'gatewaySilent')).toEqual([]);
});

test('a charge of unknown outcome that is not retried needs attention until it is settled', async () => {
  gateway.decide(() => ({ outcome: 'paid', trouble: 'lostRequest' }));
  await passTo(stage, firstDue);
  await passTo(stage, firstDue + graceMs + hourMs);
  const target = { page: 'subscription', packageName, firstPurchaseId: id };
  expect(await attentionOf(server, 'unresolvedAttempts')).toEqual([
    { packageName, count: 1, since: firstDue, target },
  ]);
  const path = { packageName, firstPurchaseId: id, periodIndex: '1', attempt: '1' };
  await callOperator(server, settleAttempt, { path, body: { outcome: 'declined', note: 'looked up' } });
  expect(await attentionOf(server, 'unresolvedAttempts')).toEqual([]);
});

test('a payment that contradicts its settlement needs attention until it is settled again', async () => {
  gateway.decide(() => ({ outcome: 'declined_final' }));
  await passTo(stage, firstDue);
  await query(
    server.connection,
    'update renewal_attempt set conflict_time = settled_time where first_purchase_id = $1',
    [id],
  );
  const target = { page: 'subscription', packageName, firstPurchaseId: id };
  expect(await attentionOf(server, 'attemptConflict')).toEqual([
    { packageName, count: 1, since: firstDue, target },
  ]);
  const path = { packageName, firstPurchaseId: id, periodIndex: '1', attempt: '1' };
  await callOperator(server, settleAttempt, { path, body: { outcome: 'declined', note: 'paid back' } });
  expect(await attentionOf(server, 'attemptConflict')).toEqual([]);
});

test('held work needs attention until an operator confirms the clock', async () => {
  await setClockMark(server, clock.now() - 4 * dayMs);
  await using held = await startTestServer({
    clock,
    database: server,
    comparesClocks: true,
    env: stageEnv(gateway),
  });
  expect(await attentionOf(held, 'held')).toEqual([{ count: 1, target: { page: 'renewals' } }]);
  await callOperator(held, resumeRenewals, { body: {} });
  expect(await attentionOf(held, 'held')).toEqual([]);
  await removeClockMark(server);
});

test('voids need attention when a day has at least 10 and twice those of a mean day, until the day is over', async () => {
  let voids = 0;
  const voidSome = async (count: number) => {
    for (let made = 0; made < count; made += 1) {
      voids += 1;
      const purchaseId = `p-${voids}`;
      await recordTestPurchase(server, app, { purchaseId });
      await callOperator(server, voidPurchase, { path: { packageName, purchaseId }, body: {} });
    }
  };
  // Seven a day on the days before.
  await voidSome(7);
  await query(
    server.connection,
    `insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency,
        voided_time, void_order, void_reason)
      select package_name, purchase_id || '-' || day, product_id, purchase_time, '', price, currency,
        voided_time - day::bigint * ${dayMs}, 1000 * day + void_order, void_reason
      from purchase, generate_series(1, 40) as day where voided_time is not null`,
  );
  const second = clock.now();
  await clock.advance(hourMs);
  await voidSome(6);
  expect(await attentionOf(server, 'voidsUnusual')).toEqual([]);
  await voidSome(1);
  const from = clock.now() + rememberedMs - dayMs;
  expect(await attentionOf(server, 'voidsUnusual')).toEqual([
    { packageName, count: 14, since: second, target: { page: 'voids', packageName, from } },
  ]);
  await clock.set(second + dayMs);
  expect(await attentionOf(server, 'voidsUnusual')).toEqual([]);
});
