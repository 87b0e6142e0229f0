// No clock that jumps makes a production server charge: neither its own nor that of its database.

import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ClockGuard } from '../../src/operations/clocks/clock-guard.ts';
import { call, createTestApp, recordTestPurchase, startTestServer, useForFile } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import {
  eventsOf,
  firstDue,
  nextSubscription,
  openJob,
  stageEnv,
  stageStart,
  startRenewalStage,
} from '../renewals/renewal-stage.ts';
import { startTestGateway } from '../renewals/test-gateway.ts';
import { removeClockMark, setAttemptLease, setClockMark } from '../stage.ts';
import { openDatabase } from '../store/open-database.ts';
import { openClockGuard, TestClock } from '../test-clock.ts';
import { waitFor } from '../wait-for.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

let id: string;

const stage = await useForFile(startRenewalStage());
const database = await useForFile(openDatabase(stage.server.connection, 2));
const databaseClock = new TestClock(stageStart);

function guard(): ClockGuard {
  return openClockGuard({ database, clock: stage.clock, databaseClock, environment: 'production' });
}

beforeEach(async () => {
  databaseClock.set(stageStart);
  id = await nextSubscription(stage);
});

const chargesOf = (firstPurchaseId: string) =>
  stage.gateway.orders.filter((order) => order.firstPurchaseId === firstPurchaseId).length;

test('a server whose clock is a year ahead of the database charges nobody, and charges one month when they agree', async () => {
  await using opened = openJob(stage.server, stage, { clocks: guard() });
  stage.clock.set(stageStart + yearMs);
  await opened.job.runOnce();
  expect(chargesOf(id)).toBe(0);
  expect(await eventsOf(stage, id)).toEqual(['started']);
  stage.clock.set(firstDue);
  databaseClock.set(firstDue);
  await opened.job.runOnce();
  expect(chargesOf(id)).toBe(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a clock that jumps while a charge is in flight leaves the attempt open, and the same charge is settled later', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  await using opened = openJob(stage.server, stage, { clocks: guard(), timeoutMs: 10_000 });
  stage.clock.set(firstDue);
  databaseClock.set(firstDue);
  const renewing = opened.job.runOnce();
  await waitFor(() => chargesOf(id) === 1, { deadlineMs: 10_000, what: 'the charge' });
  stage.clock.set(firstDue + yearMs);
  answer.resolve();
  await renewing;
  expect(await eventsOf(stage, id)).toEqual(['started']);
  stage.clock.set(firstDue + 30_000);
  databaseClock.set(firstDue + 30_000);
  await opened.job.runOnce();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  const keys = stage.gateway.orders.filter((order) => order.firstPurchaseId === id);
  expect(new Set(keys.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
});

test('the lease of an attempt that ends a year ahead excludes nobody', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  stage.clock.set(firstDue);
  await stage.job.runOnce();
  const leaseUntil = firstDue + yearMs;
  await setAttemptLease(stage.server, id, leaseUntil);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  stage.clock.set(firstDue + 120_000);
  await stage.job.runOnce();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('when a server sees that the time of the database jumps by over a minute, no server charges until an operator resumes renewals', async () => {
  const startedAt = firstDue - 3_600_000;
  const monotonicClock = new TestClock(startedAt);
  const watching = openClockGuard({
    database,
    clock: stage.clock,
    databaseClock,
    monotonicClock,
    environment: 'production',
  });
  const sandbox = openClockGuard({
    database,
    clock: stage.clock,
    databaseClock,
    monotonicClock,
    environment: 'sandbox',
  });
  const setAll = (now: number) => {
    stage.clock.set(now);
    databaseClock.set(now);
  };
  setAll(startedAt);
  await setClockMark(stage.server, startedAt);
  await using first = openJob(stage.server, stage, { clocks: watching });
  await first.job.runOnce();
  await sandbox.read();
  setAll(firstDue);
  expect((await sandbox.read()).hold).toBeUndefined();
  await first.job.runOnce();
  // It has not seen the jump.
  await using second = openJob(stage.server, stage, { clocks: guard() });
  await second.job.runOnce();
  expect(chargesOf(id)).toBe(0);
  expect((await watching.read()).hold).toEqual({
    reason: 'ahead',
    message:
      "The database's time has jumped, and is 2026-02-28T09:00:00.000Z: check the clock, then resume renewals.",
  });
  expect((await callOperator(stage.server, getRenewals, {})).body).toMatchObject({
    hold: { reason: 'ahead' },
  });
  const resumed = await callOperator(stage.server, resumeRenewals, { body: {} });
  expect(resumed.body.hold).toBeUndefined();
  setAll(firstDue + 2_000);
  monotonicClock.advance(2_000);
  await first.job.runOnce();
  await second.job.runOnce();
  expect(chargesOf(id)).toBe(1);
  await removeClockMark(stage.server);
});

test('a store whose clock jumps more than 3 days past the stored time charges nobody until an operator resumes renewals', async () => {
  await using gateway = await startTestGateway();
  const clock = new TestClock(stageStart);
  await using server = await startTestServer({ clock, runsJobs: true, env: stageEnv(gateway) });
  const problems = async () => {
    const { text } = await call(`${server.operatorUrl}/metrics`);
    return [...text.matchAll(/^opentill_clock_problem\{problem="(\w+)"\} 1$/gm)].map(
      ([, problem]) => problem,
    );
  };
  const app = await createTestApp(server);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await setClockMark(server, stageStart);
  clock.set(firstDue);
  const isHeld = async () => (await problems()).includes('ahead');
  await waitFor(isHeld, { deadlineMs: 15_000, what: 'the hold' });
  expect(gateway.orders).toEqual([]);
  const held = await callOperator(server, getRenewals, {});
  expect(held.body).toMatchObject({ paused: false, hold: { reason: 'ahead' }, due: 1 });
  const ofApp = await callOperator(server, resumeRenewals, { body: { packageName: app.packageName } });
  expect(ofApp.body.hold).toBeDefined();
  const resumed = await callOperator(server, resumeRenewals, { body: {} });
  expect(resumed.body).toMatchObject({ resumedAt: firstDue });
  expect(resumed.body.hold).toBeUndefined();
  await waitFor(() => gateway.orders.length === 1, { deadlineMs: 15_000, what: 'the charge' });
  await waitFor(async () => (await problems()).length === 0, { deadlineMs: 15_000, what: 'no problem' });
});
