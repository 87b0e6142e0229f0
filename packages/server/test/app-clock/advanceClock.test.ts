// Advances of a clock: everything that falls due happens in the order of time, each at its own instant.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { answerWithinMs } from '../../src/http/listener/response-time.ts';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  newTestApp,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { callPurchase } from '../purchase-api/purchase-call.ts';
import { leaseClock } from '../stage.ts';
import { isCluster } from '../test-databases.ts';
import { waitFor } from '../wait-for.ts';
import { advance, eventsOf, freeze, historyOf, readClock, setClock, tryAdvance } from './clock-calls.ts';

/** A distributed table cannot have the triggers that these tests delay or disturb writes with. */
const onOnePostgres = test.skipIf(isCluster);

const { getSubscription, putFaults } = sandboxApi;

const hourMs = 60 * 60 * 1000;
const month = (months: number, day = 15) => Date.UTC(2026, 2 + months, day, 12);

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await freeze(server, app);
});

function subscribe(purchaseId: string, purchaseTime?: number): Promise<unknown> {
  const time = purchaseTime === undefined ? {} : { purchaseTime };
  return recordTestPurchase(server, app, { productId: 'monthly', purchaseId, ...time });
}

async function cancel(purchaseId: string): Promise<void> {
  const path = { purchaseId, action: 'cancel' };
  const answer = await callPurchase(server, manageRecurringPaymentStatus, app, { path });
  expect(answer.body.responseCode).toBe(0);
}

async function declineCharges(fault: object): Promise<void> {
  const body = [{ operation: 'charge', ...fault }];
  expect((await callSandbox(server, putFaults, { key: app.token, body })).status).toBe(200);
}

interface ToldEvent {
  readonly type: string;
  readonly eventTime: number;
}

const told = (events: readonly ToldEvent[]) =>
  events.map(({ type, eventTime }) => [type.replace('subscription.', ''), eventTime]);

test('an advance of a year renews a subscription twelve times, each on time, and the newest month is shown', async () => {
  await subscribe('S-1');
  const { now, count, happened, eventsAfter } = await advance(server, app, { by: 'P1Y' });
  expect([now, count, eventsAfter]).toEqual([month(12), 12, 13]);
  expect(told(happened)).toEqual(Array.from({ length: 12 }, (_, index) => ['renewed', month(index + 1)]));
  expect(happened.map((event: { order: number }) => event.order)).toEqual(
    Array.from({ length: 12 }, (_, index) => index + 2),
  );
  const last = happened.at(-1);
  expect(last).toMatchObject({ firstPurchaseId: 'S-1', productId: 'monthly' });
  const path = { purchaseId: 'S-1' };
  const details = await callPurchase(server, getLastRecurringPurchaseDetails, app, { path });
  expect(details.body).toEqual({
    startTime: month(12),
    expiryTime: month(13),
    nextPaymentTime: month(13),
    autoRenewing: true,
    lastPurchaseId: last.purchaseId,
  });
});

test('an item due at exactly the new time has happened, and an item due 1 ms later has not', async () => {
  await subscribe('S-1');
  expect((await advance(server, app, { to: month(1) - 1 })).count).toBe(0);
  expect((await advance(server, app, { to: month(1) })).count).toBe(1);
  expect((await advance(server, app, { to: month(1) })).count).toBe(0);
});

test('renewals, declined payments, retries and expiries happen in the order of time', async () => {
  await subscribe('S-ends');
  await subscribe('S-renews', testNow - hourMs);
  await cancel('S-ends');
  // S-renews is charged first, an hour before S-ends expires.
  await declineCharges({ outcome: 'declined', times: 2 });
  const { happened } = await advance(server, app, { by: 'P1M1D' });
  expect(happened.map((event: ToldEvent) => [event.type, event.eventTime])).toEqual([
    ['subscription.payment_failed', month(1) - hourMs],
    // At the same instant, items are processed in the order of their ids.
    ['subscription.expired', month(1)],
    ['subscription.payment_failed', month(1)],
    ['subscription.renewed', month(1) + 5 * hourMs],
  ]);
});

test('a pending payment is polled repeatedly and takes no real time', async () => {
  await subscribe('S-1');
  await declineCharges({ outcome: 'pending', times: 30 });
  const { happened } = await advance(server, app, { by: 'P2M' });
  expect(happened).toHaveLength(2);
  // A minute after the first, doubled each time, at most an hour.
  const waits = Array.from({ length: 30 }, (_, index) => Math.min(60, 2 ** index));
  const minutes = waits.reduce((sum, wait) => sum + wait, 0);
  expect(told(happened)[0]).toEqual(['renewed', month(1) + minutes * 60_000]);
  expect(told(happened)[1]).toEqual(['renewed', month(2)]);
});

test('the past months of a recorded subscription are renewed at their due times', async () => {
  await subscribe('S-1', Date.UTC(2025, 11, 15, 12));
  const { happened } = await advance(server, app, { by: 'PT0S' });
  expect(told(happened)).toEqual([-2, -1, 0].map((index) => ['renewed', month(index)]));
  const { months } = await historyOf(server.connection, app.packageName);
  expect(months.map((one) => one.expiry_time)).toEqual([-2, -1, 0, 1].map((index) => month(index)));
});

test('an advance returns the first 1,000 events, counts all, and eventsAfter leads to the others', async () => {
  const rows = `select '${app.packageName}', 'B' || n, 'monthly', ${testNow}, 'UTC', ${testNow}, -1, 499, 'EUR', '', true`;
  await query(
    server.connection,
    `insert into subscription (package_name, first_purchase_id, product_id, first_start, time_zone, anchor_time,
        anchor_index, price, currency, developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index,
        last_purchase_id, last_start_time)
      ${rows}, ${month(1)}, ${month(1)}, 0, 'B' || n, ${testNow} from generate_series(1, 350) n`,
  );
  const { count, happened, eventsAfter } = await advance(server, app, { by: 'P3M' });
  expect([count, happened.length, eventsAfter]).toEqual([1_050, 1_000, 1_000]);
  const events = await eventsOf(server.connection, app.packageName);
  expect(events).toHaveLength(1_050);
  expect(happened.map((event: { eventTime: number }) => event.eventTime)).toEqual(
    events.slice(0, 1_000).map(({ time }) => time),
  );
  expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => a - b));
});

test('concurrent and earlier changes by others are not returned as having happened', async () => {
  await subscribe('S-1');
  await recordTestPurchase(server, app);
  const { count, happened, eventsAfter } = await advance(server, app, { by: 'P1M' });
  expect([count, happened[0].type, eventsAfter]).toEqual([1, 'subscription.renewed', 3]);
});

describe('the calendar', () => {
  test('a subscription started on 31 January renews on the last day of each shorter month', async () => {
    await subscribe('S-1', Date.UTC(2026, 0, 31, 12));
    const { happened } = await advance(server, app, { to: Date.UTC(2026, 6, 1) });
    const days = [28, 31, 30, 31, 30].map((day, index) => Date.UTC(2026, 1 + index, day, 12));
    expect(told(happened).map(([, time]) => time)).toEqual(days);
  });
});

test('the first subscription of a clock with rate 8928 renews after five minutes', async () => {
  await using running = await startTestServer({ runsJobs: true });
  const own = await createTestApp(running);
  await setClock(running, own, { mode: 'running', rate: 8928 });
  await recordTestPurchase(running, own, { productId: 'monthly', purchaseId: 'S-1' });
  const shown = () =>
    callSandbox(running, getSubscription, { key: own.token, path: { firstPurchaseId: 'S-1' } });
  await running.clock.advance(5 * 60 * 1000 - 1);
  expect((await shown()).body).toMatchObject({ state: 'active', months: [{ periodIndex: 0 }] });
  await running.clock.advance(1);
  await waitFor(async () => (await shown()).body.months.length === 2, {
    deadlineMs: 10_000,
    what: 'the second month',
  });
  expect((await shown()).body).toMatchObject({ state: 'active', startTime: testNow });
  expect((await readClock(running, own)).now).toBe(testNow + 31 * 24 * hourMs);
});

test('jobs skip an app while its clock is advanced', async () => {
  await using working = await startTestServer({ runsJobs: true });
  const own = await createTestApp(working, 'com.advance.held');
  const other = await createTestApp(working, 'com.advance.free');
  for (const one of [own, other]) {
    await freeze(working, one);
    await leaseClock(working, one, { until: testNow + (one === own ? 5_000 : 0) });
    await recordTestPurchase(working, one, {
      productId: 'monthly',
      purchaseId: 'S-1',
      purchaseTime: Date.UTC(2026, 1, 14, 12),
    });
  }
  const renewals = async ({ packageName }: TestApp) =>
    (await eventsOf(working.connection, packageName)).filter(({ type }) => type.endsWith('renewed')).length;
  await waitFor(async () => (await renewals(other)) === 1, { deadlineMs: 10_000, what: 'the other app' });
  expect(await renewals(own)).toBe(0);
  await working.clock.advance(5_000);
  await waitFor(async () => (await renewals(own)) === 1, {
    deadlineMs: 10_000,
    what: 'the end of the lease',
  });
});

onOnePostgres('an advance whose clock is reset stops and reports it', async () => {
  await subscribe('S-1');
  const to = month(1);
  const { packageName } = app;
  await query(
    server.connection,
    `create function reset_clock() returns trigger language plpgsql as
      $$ begin update app_clock set lease_holder = 'another' where package_name = new.package_name; return new; end $$;
    create trigger reset_clock after insert on renewal_attempt for each row
      when (new.package_name = '${packageName}') execute function reset_clock()`,
  );
  const answer = await tryAdvance(server, app, { to });
  expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining(`"to": ${to}`)]);
  expect((await eventsOf(server.connection, packageName)).map(({ type }) => type)).toEqual([
    'subscription.started',
  ]);
  expect((await readClock(server, app)).now).toBe(testNow);
});

onOnePostgres('a clock that is lost during an advance has reached the last event that happened', async () => {
  await subscribe('S-1');
  await subscribe('S-2', testNow - hourMs);
  await query(
    server.connection,
    `create function lose_clock() returns trigger language plpgsql as
      $$ begin update app_clock set lease_holder = 'another' where package_name = new.package_name; return new; end $$;
    create trigger lose_clock after insert on renewal_attempt for each row
      when (new.package_name = '${app.packageName}' and new.period_index = 2) execute function lose_clock()`,
  );
  expect((await tryAdvance(server, app, { by: 'P3M' })).status).toBe(409);
  const events = await eventsOf(server.connection, app.packageName);
  expect(events.at(-1)?.time).toBe(month(1));
  expect((await readClock(server, app)).now).toBe(month(1));
});

onOnePostgres(
  'an advance that takes longer than the response deadline keeps its lease and is answered',
  async () => {
    await subscribe('S-1');
    const { packageName } = app;
    await query(
      server.connection,
      `create function slow_down() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.5); return new; end $$;
    create trigger slow_down before insert on renewal_attempt for each row
      when (new.package_name = '${packageName}') execute function slow_down()`,
    );
    const leaseUntil = async () => {
      const sql = `select lease_until as until from app_clock where package_name = '${packageName}'`;
      return Number((await query(server.connection, sql))[0]?.['until']);
    };
    const begun = performance.now();
    const answer = tryAdvance(server, app, { by: 'P7M' });
    const limit = { deadlineMs: 3_000, what: 'a lease that is prolonged' };
    const first = await waitFor(leaseUntil, limit);
    await server.clock.advance(4_000);
    expect(await waitFor(async () => (await leaseUntil()) > first, limit)).toBe(true);
    expect((await answer).body.count).toBe(7);
    expect(performance.now() - begun).toBeGreaterThan(answerWithinMs);
  },
);
