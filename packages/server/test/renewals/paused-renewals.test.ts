// Nothing is charged while renewals are paused, on any server, and getRenewals counts what a resume would let expire. A
// pause also stops charges that were found due before it, or whose transaction is open.

import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { updateApp } from '@opentill/contract/operator-api/updateApp.ts';
import type { Renewals } from '@opentill/contract/renewals.ts';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import { callOperator, type OperationCall } from '../../../../test/support/http/checked-call.ts';
import { query } from '../../../../test/support/query.ts';
import {
  dayMs,
  eventsOf,
  firstDue,
  newestEvents,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  stageStart,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import {
  openSecondConnection,
  waitedFor,
  waitingStatements,
} from '../../../../test/support/store/second-connection.ts';
import { beginRenewals } from '../../src/charging/begin-renewals.ts';
import { settlingOptions } from '../../src/charging/renewal-options.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { lockSubscriptions } from '../../src/store/subscriptions/subscription-locks.ts';

let id: string;

/** Two thirds of the period from 28 February to 31 March. */
const lastInstant = firstDue + Math.floor((2 * (secondDue - firstDue)) / 3);

const stage = await useForFile(startRenewalStage());
const { server, app, clock } = stage;
const { packageName } = app;

beforeEach(async () => {
  for (const body of [{}, { packageName }]) await callOperator(server, resumeRenewals, { body });
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

async function renewalsOf(scope: OperationCall['query'] = {}): Promise<Renewals> {
  return (await callOperator(server, getRenewals, { query: scope })).body;
}

const pause = async (body: object): Promise<Renewals> =>
  (await callOperator(server, pauseRenewals, { body })).body;

const resume = async (body: object): Promise<Renewals> =>
  (await callOperator(server, resumeRenewals, { body })).body;

test.each([
  ['of the store', {}],
  ['of the app', { packageName }],
])(
  'while the renewals %s are paused no server charges, and after a resume the period is paid',
  async (_, scope) => {
    await using other = openJob(server, stage);
    await pause(scope);
    await stage.clock.set(firstDue + dayMs);
    await Promise.all([stage.job.runOnce(), other.job.runOnce()]);
    expect(orders()).toEqual([]);
    expect(await resume(scope)).toMatchObject({ paused: false, pauses: [] });
    await other.job.runOnce();
    expect(orders()).toHaveLength(1);
    expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  },
);

test('a disabled app renews nothing until it is enabled', async () => {
  await callOperator(server, updateApp, { path: app, body: { disabled: true } });
  await passTo(stage, firstDue);
  expect(orders()).toEqual([]);
  expect(await renewalsOf({ packageName })).toMatchObject({
    pauses: [{ scope: 'disabled', since: stageStart }],
  });
  await callOperator(server, updateApp, { path: app, body: { disabled: false } });
  await stage.job.runOnce();
  expect(orders()).toHaveLength(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('an open attempt is not sent again while renewals are paused', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await passTo(stage, firstDue);
  await pause({ packageName });
  await passTo(stage, firstDue + dayMs);
  expect(orders()).toHaveLength(1);
  await resume({ packageName });
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await stage.job.runOnce();
  expect(orders()).toHaveLength(2);
});

test.each([
  ['at the instant when two thirds of it are over charges a period', 0, ['renewed']],
  ['a millisecond later lets the subscription expire', 1, ['expired']],
])('a resume %s, and getRenewals has counted it before', async (_, lateMs, events) => {
  await pause({});
  const now = lastInstant + lateMs;
  await passTo(stage, now);
  const counts = { due: 1, wouldCharge: 1 - lateMs, wouldExpire: lateMs };
  for (const scope of [{}, { packageName }]) expect(await renewalsOf(scope)).toMatchObject(counts);
  await resume({});
  await stage.job.runOnce();
  expect(orders()).toHaveLength(1 - lateMs);
  expect(await eventsOf(stage, id)).toEqual(['started', ...events]);
  const expired = { type: 'subscription.expired', eventTime: now, expiryReason: 'overdue' };
  if (lateMs > 0) expect(await newestEvents(stage, id, 1)).toMatchObject([expired]);
  expect(await renewalsOf()).toMatchObject({ due: 0, wouldCharge: 0, wouldExpire: 0 });
});

test('getRenewals shows who paused what, since when and why, and a second pause changes nothing', async () => {
  await pause({ note: 'provider is down' });
  const since = stage.clock.now();
  await stage.clock.advance(1_000);
  await pause({ note: 'again' });
  await pause({ packageName });
  const madeBy = 'operator:admin';
  const ofStore = { scope: 'store', since, madeBy, reason: 'provider is down' };
  expect(await renewalsOf()).toMatchObject({ paused: true, pauses: [ofStore] });
  expect(await resume({})).toMatchObject({ paused: false, pauses: [] });
  expect(await renewalsOf({ packageName })).toMatchObject({
    packageName,
    paused: true,
    pauses: [{ scope: 'app', since: since + 1_000, madeBy }],
  });
});

test('renewals of an app that does not exist get 404', async () => {
  const nowhere = { packageName: 'com.example.nowhere' };
  expect((await callOperator(server, getRenewals, { query: nowhere })).status).toBe(404);
  for (const operation of [pauseRenewals, resumeRenewals]) {
    expect((await callOperator(server, operation, { body: nowhere })).status).toBe(404);
  }
});

const database = await useForFile(openDatabase(server.connection, 2));

test('a charge that was found due before a pause does not begin during the pause', async () => {
  await clock.set(firstDue);
  const settling = settlingOptions({
    database,
    environment: 'production',
    installationId: Buffer.alloc(16),
    retries: [],
    clock: new StoreClock(clock, 'production'),
    randomness: secureRandomness,
    log: pino({ level: 'silent' }),
    onRefundDue: () => undefined,
  });
  const options = { ...settling, gateway: { charge: () => expect.fail('nothing is charged') } };
  const begin = () =>
    beginRenewals(options, {
      packageName,
      author: { madeBy: 'test', requestId: 'r' },
      isAdvance: false,
      async lock(transaction) {
        const rows = await lockSubscriptions(transaction, { packageName, firstPurchaseIds: [id] });
        return rows.map((row) => ({ ...row, dueTime: firstDue }));
      },
    });
  await callOperator(server, pauseRenewals, { body: {} });
  expect(await begin()).toEqual([]);
  await callOperator(server, resumeRenewals, { body: {} });
  expect(await begin()).toMatchObject([{ request: { attempt: 1 } }]);
});

test.each([
  { what: 'all apps', body: {} },
  { what: 'an app', body: { packageName } },
])(
  'a pause of $what returns when no transaction that begins charges has read the state before it, and none begins after',
  async ({ body }) => {
    const { gateway, job } = stage;
    const firstPurchaseId = await nextSubscription(stage);
    await clock.set(firstDue);
    const attempts = async () => {
      const text = 'select from renewal_attempt where first_purchase_id = $1';
      return (await query(server.connection, text, [firstPurchaseId])).length;
    };
    const charges = () => gateway.orders.filter((order) => order.firstPurchaseId === firstPurchaseId).length;
    await using second = await openSecondConnection(server.connection);
    // The transaction that begins the charge has read the state, and waits for this row.
    await second.run(
      `insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
        begun_time, tries, made_by, request_id)
      values ($1, $2, 1, 1, 'key', $3, $3, 1, 'job:renewals', 'r')`,
      [packageName, firstPurchaseId, firstDue],
    );
    const renewing = job.runOnce();
    await waitedFor(second, renewing);
    let hasReturned = false;
    const pausing = callOperator(server, pauseRenewals, { body }).then((response) => {
      hasReturned = true;
      return response;
    });
    await waitingStatements(server.connection, 2);
    expect([hasReturned, await attempts(), charges()]).toEqual([false, 0, 0]);
    await second.client.query('rollback');
    expect((await pausing).status).toBe(200);
    expect(await attempts()).toBe(1);
    await renewing;
    expect(charges()).toBe(1);
    await clock.set(secondDue);
    await job.runOnce();
    expect([await attempts(), charges()]).toEqual([1, 1]);
    await callOperator(server, resumeRenewals, { body });
  },
);
