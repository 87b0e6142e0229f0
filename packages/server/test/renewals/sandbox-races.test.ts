// Renewals in the sandbox: resets and advances during charges of the job, and lateness, which is by the clock of the app and
// never because the server was stopped or renewals were paused.

import { subscriptionAccess } from '@opentill/client';
import { developerApi } from '@opentill/contract/developer-api.ts';
import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  newTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import {
  dayMs,
  logInto,
  openJobWith,
  shownSubscription,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { openSecondConnection, waitingStatements } from '../../../../test/support/store/second-connection.ts';
import { isCluster } from '../../../../test/support/test-databases.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { slotsAtFirst } from '../../src/jobs/subscriptions/app-charges.ts';
import { advance, eventsOf, freeze, historyOf } from '../app-clock/clock-calls.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { heldGateway } from './held-gateway.ts';

/** A distributed table cannot have the triggers that these tests delay or disturb writes with. */
const onOnePostgres = test.skipIf(isCluster);

const { reset } = developerApi;

let app: TestApp;
const logLines: string[] = [];

const server = await useTestServer();
// The job of another server on the same database, whose charges get their responses when the test says so.
const gateway = heldGateway();
const other = openJobWith(server, { gateway, environment: 'sandbox', log: logInto(logLines) });
afterAll(async () => {
  await other[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await freeze(server, app);
});

/** Subscriptions whose second period is due now. */
async function subscribeDue(...ids: readonly string[]): Promise<void> {
  for (const purchaseId of ids) {
    const purchaseTime = testNow - 28 * dayMs;
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId, purchaseTime });
  }
}

/** Lets the job of the other server charge what is due, and waits until the charges are in flight. */
async function chargesOut(count: number): Promise<{ readonly ended: Promise<number> }> {
  const ended = other.job.runOnce();
  await waitFor(() => gateway.waiting.size === count, { what: 'charges' });
  return { ended };
}

const resetApp = () => callDeveloper(server, reset, { key: app.token });
const told = async () => (await eventsOf(server.connection, app.packageName)).map(({ type }) => type);

test('a subscription recorded again after a reset is not charged for the previous one', async () => {
  await advance(server, app, { by: 'P1Y' });
  await subscribeDue('S-1');
  const { ended } = await chargesOut(1);
  expect((await resetApp()).status).toBe(204);
  // Now in real time, a year earlier, so its second period is due in a month.
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  const asked = gateway.asked.length;
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(gateway.asked).toHaveLength(asked);
  expect(await told()).toEqual(['subscription.started']);
  expect(logLines).toEqual([]);
});

onOnePostgres('a reset during the write of a period waits for it, and neither fails', async () => {
  await subscribeDue('S-1');
  await query(
    server.connection,
    `create function slow_period() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger slow_period before insert on purchase for each row
      when (new.package_name = '${app.packageName}') execute function slow_period()`,
  );
  await using second = await openSecondConnection(server.connection);
  await second.run('select pg_advisory_xact_lock(1)');
  const { ended } = await chargesOut(1);
  gateway.answer({ outcome: 'paid' });
  await waitingStatements(server.connection, 1);
  const resetting = resetApp();
  await waitingStatements(server.connection, 2);
  await second.commit();
  expect((await resetting).status).toBe(204);
  await ended;
  expect(logLines).toEqual([]);
  expect(await told()).toEqual([]);
});

test('an advance takes over charges in flight, and their later responses are ignored', async () => {
  await subscribeDue('S-1');
  const { ended } = await chargesOut(1);
  const { happened } = await advance(server, app, { by: 'P1D' });
  expect(happened.map(({ type }: { type: string }) => type)).toEqual(['subscription.renewed']);
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(await told()).toEqual(['subscription.started', 'subscription.renewed']);
  const { periods } = await historyOf(server.connection, app.packageName);
  expect(periods).toHaveLength(2);
  expect(logLines).toEqual([]);
});

test('a running job leaves unstarted work to an advance', async () => {
  await subscribeDue(...Array.from({ length: slotsAtFirst + 4 }, (_, index) => `S-${index}`));
  const { ended } = await chargesOut(slotsAtFirst);
  const { packageName } = app;
  await query(
    server.connection,
    `update app_clock set lease_holder = 'another', lease_until = ${testNow + 60_000}
      where package_name = '${packageName}'`,
  );
  gateway.answer({ outcome: 'paid' });
  await ended;
  expect(new Set(await told())).toEqual(new Set(['subscription.started']));
  const attempts = await query(
    server.connection,
    `select outcome from renewal_attempt where package_name = '${packageName}'`,
  );
  expect(attempts).toEqual(Array(slotsAtFirst).fill({ outcome: null }));
  expect(logLines).toEqual([]);
});

test('in the sandbox what a stopped server missed happens at its due time, and nobody expires', async () => {
  const app = await newTestApp(server);
  const starts = [0, 1, 2].map((days) => testNow - days * dayMs);
  for (const [index, purchaseTime] of starts.entries()) {
    const purchaseId = `S-${index}`;
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId, purchaseTime });
  }
  const gateway = { charge: () => Promise.resolve({ outcome: 'paid' } as const) };
  await using other = openJobWith(server, { gateway, environment: 'sandbox' });
  const now = testNow + 100 * dayMs;
  await server.clock.set(now);
  await other.job.runOnce();
  const { events, periods } = await historyOf(server.connection, app.packageName);
  const renewed = events.slice(starts.length);
  expect(renewed.map(({ type }) => type)).toEqual(Array(9).fill('subscription.renewed'));
  const ends = periods.map(({ expiry_time }) => expiry_time).filter((end) => end <= now);
  expect(renewed.map(({ time }) => time)).toEqual(ends.toSorted((left, right) => left - right));
});

test('a payment that is pending when two thirds of its period are over expires its subscription', async () => {
  const { expiryTime } = await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'pending' }]);
  // The period from 15 April to 15 May.
  expect((await advance(server, app, { to: expiryTime + 20 * dayMs })).happened).toEqual([]);
  const { happened } = await advance(server, app, { by: 'PT1H' });
  expect(happened).toMatchObject([{ type: 'subscription.expired', expiryReason: 'overdue' }]);
});

test('a declined charge is retried by OPENTILL_CHARGE_RETRIES, and until the last one the payment is outstanding', async () => {
  await using server = await startTestServer({ env: { OPENTILL_CHARGE_RETRIES: '3h,18d' } });
  const app = await createTestApp(server);
  await freeze(server, app);
  const { expiryTime } = await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'declined' }]);
  const path = `/last-recurring-details/S-1/${app.packageName}`;
  const outstanding = { hasAccess: false, isPaymentOutstanding: true, willRenew: true };
  const failed = { type: 'subscription.payment_failed', isLastAttempt: false };
  for (const [attempt, passed, next] of [
    [1, 0, 3 * 3_600_000],
    [2, 18 * dayMs - 1, 18 * dayMs],
  ] as const) {
    const { happened, now } = await advance(server, app, { to: expiryTime + passed });
    expect(happened).toMatchObject([{ ...failed, attempt }]);
    const details = (await callPurchaseApi(server, { token: app.token, path })).body;
    expect(details).toMatchObject({ expiryTime, nextPaymentTime: expiryTime + next });
    expect(subscriptionAccess(details, { now })).toMatchObject(outstanding);
    expect(await shownSubscription({ server, app }, 'S-1')).toMatchObject({ state: 'paymentOutstanding' });
  }
  const { happened } = await advance(server, app, { to: expiryTime + 18 * dayMs });
  const expired = { type: 'subscription.expired', expiryReason: 'declined' };
  expect(happened).toMatchObject([{ ...failed, attempt: 3, isLastAttempt: true }, expired]);
});

test('an advance charges nothing while renewals are paused, and after a resume everything happens at its due time', async () => {
  const { packageName } = app;
  const { expiryTime } = await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await callOperator(server, pauseRenewals, { body: { packageName } });
  expect(await advance(server, app, { by: 'P70D' })).toMatchObject({ count: 0 });
  const { body } = await callOperator(server, getRenewals, { query: { packageName } });
  expect(body).toMatchObject({ due: 1, wouldCharge: 1, wouldExpire: 0 });
  await callOperator(server, resumeRenewals, { body: { packageName } });
  expect(await advance(server, app, { by: 'PT1S' })).toMatchObject({
    happened: [
      { type: 'subscription.renewed', eventTime: expiryTime },
      { type: 'subscription.renewed', eventTime: Date.UTC(2026, 4, 15, 12) },
    ],
  });
});
