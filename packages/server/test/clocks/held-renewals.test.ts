// No clock that jumps makes a production server charge: neither its own nor that of its database.

import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { beforeEach, expect, test } from 'vitest';
import {
  call,
  createTestApp,
  recordTestPurchase,
  startTestServer,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  eventsOf,
  firstDue,
  nextSubscription,
  openJob,
  stageEnv,
  stageStart,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { startTestGateway } from '../../../../test/support/renewals/test-gateway.ts';
import { setAttemptLease, setClockMark } from '../../../../test/support/stage.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

let id: string;

const stage = await useForFile(startRenewalStage());

beforeEach(async () => {
  id = await nextSubscription(stage);
});

const chargesOf = (firstPurchaseId: string) =>
  stage.gateway.orders.filter((order) => order.firstPurchaseId === firstPurchaseId).length;

test('a server whose clock is a year ahead of the database charges nobody before the period is over', async () => {
  const ahead = new StoreClock({ now: () => stage.clock.now() + yearMs }, 'production');
  await using opened = openJob(stage.server, stage, { clock: ahead });
  await opened.job.runOnce();
  expect(chargesOf(id)).toBe(0);
  expect(await eventsOf(stage, id)).toEqual(['started']);
  await stage.clock.set(firstDue);
  await ahead.measure(opened.database);
  await opened.job.runOnce();
  expect(chargesOf(id)).toBe(1);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a charge that is answered while the database is a year ahead of the mark is settled when it is back, and is not sent again', async () => {
  const answer = Promise.withResolvers<void>();
  stage.gateway.decide(() => ({ outcome: 'paid', trouble: { until: answer.promise } }));
  const clock = new StoreClock(stage.clock, 'production');
  await using opened = openJob(stage.server, stage, { clock, timeoutMs: 10_000 });
  await stage.clock.set(firstDue);
  await setClockMark(stage.server, firstDue);
  await clock.readMark(opened.database);
  const renewing = opened.job.runOnce();
  await waitFor(() => chargesOf(id) === 1, { what: 'the charge' });
  await stage.clock.set(firstDue + yearMs);
  answer.resolve();
  await renewing;
  expect(await eventsOf(stage, id)).toEqual(['started']);
  await stage.clock.set(firstDue + 30_000);
  await opened.job.runOnce();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  expect(chargesOf(id)).toBe(1);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
});

test('the lease of an attempt that ends a year ahead excludes nobody', async () => {
  stage.gateway.decide(() => ({ outcome: 'pending' }));
  await stage.clock.set(firstDue);
  await stage.job.runOnce();
  const leaseUntil = firstDue + yearMs;
  await setAttemptLease(stage.server, id, leaseUntil);
  stage.gateway.decide(() => ({ outcome: 'paid' }));
  await stage.clock.set(firstDue + 120_000);
  await stage.job.runOnce();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a store whose clock jumps more than 3 days past the stored time charges nobody until an operator resumes renewals', async () => {
  await using gateway = await startTestGateway();
  const clock = new TestClock(stageStart);
  await using server = await startTestServer({
    clock,
    runsJobs: true,
    comparesClocks: true,
    env: stageEnv(gateway),
  });
  const problems = async () => {
    const { text } = await call(`${server.operatorUrl}/metrics`);
    return [...text.matchAll(/^opentill_clock_problem\{problem="(\w+)"\} 1$/gm)].map(
      ([, problem]) => problem,
    );
  };
  const app = await createTestApp(server);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await clock.set(firstDue);
  const isHeld = async () => (await problems()).includes('ahead');
  await waitFor(isHeld, { what: 'the hold' });
  expect(gateway.orders).toEqual([]);
  const held = await callOperator(server, getRenewals, {});
  expect(held.body).toMatchObject({ paused: false, hold: { reason: 'ahead' }, due: 1 });
  const ofApp = await callOperator(server, resumeRenewals, { body: { packageName: app.packageName } });
  expect(ofApp.body.hold).toBeDefined();
  const resumed = await callOperator(server, resumeRenewals, { body: {} });
  expect(resumed.body.hold).toBeUndefined();
  await waitFor(() => gateway.orders.length === 1, { what: 'the charge' });
  await waitFor(async () => (await problems()).length === 0, { what: 'no problem' });
});
