// A period that costs 0 takes no money, so it is given without asking the gateway.

import { advanceClock } from '@opentill/contract/operator-api/advanceClock.ts';
import { getFaults } from '@opentill/contract/operator-api/getFaults.ts';
import { putFaults } from '@opentill/contract/operator-api/putFaults.ts';
import { beforeEach, expect, test } from 'vitest';
import { call, createTestApp, startTestServer, useForFile } from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import {
  eventsOf,
  firstDue,
  newestEvents,
  openJob,
  passTo,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';

const stage = await useForFile(startRenewalStage());

beforeEach(async () => {
  await stage.clock.set(stageStart);
});

const orders = (id: string) => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

test('a period that costs 0 is given without asking the gateway, with an attempt and an event like any other', async () => {
  await subscribe(stage, 'F-1', { price: 0 });
  stage.gateway.decide(() => ({ outcome: 'declinedFinal' }));
  await passTo(stage, firstDue);
  expect(orders('F-1')).toEqual([]);
  expect(await eventsOf(stage, 'F-1')).toEqual(['started', 'renewed']);
  expect(await newestEvents(stage, 'F-1', 1)).toMatchObject([{ type: 'subscription.renewed', price: 0 }]);
  expect((await shownSubscription(stage, 'F-1')).attempts).toMatchObject([{ attempt: 1, outcome: 'paid' }]);
});

test('an open attempt at a period that costs 0 is retried without asking the gateway', async () => {
  await subscribe(stage, 'F-2', { price: 0 });
  const testing = {
    crashPoints(point: string) {
      if (point === 'afterAttempt') throw new Error('killed');
    },
  };
  await using opened = openJob(stage.server, stage, { testing });
  await passTo({ clock: stage.clock, job: opened.job }, firstDue);
  expect(await eventsOf(stage, 'F-2')).toEqual(['started']);
  await passTo(stage, firstDue + 20_000);
  expect(orders('F-2')).toEqual([]);
  expect(await eventsOf(stage, 'F-2')).toEqual(['started', 'renewed']);
});

test('an advance gives periods that cost 0, which use up no fault and are counted as no charge', async () => {
  await using sandbox = await startTestServer();
  const app = await createTestApp(sandbox);
  const path = { packageName: app.packageName };
  await subscribe({ server: sandbox, app }, 'SANDBOX-F', { price: 0 });
  const body = [{ operation: 'charge' as const, outcome: 'declined' as const, times: 1 }];
  await callOperator(sandbox, putFaults, { path, body });
  const advanced = await callOperator(sandbox, advanceClock, { path, body: { by: 'P70D' } });
  expect(advanced.body.happened).toMatchObject([
    { type: 'subscription.renewed' },
    { type: 'subscription.renewed' },
  ]);
  expect((await callOperator(sandbox, getFaults, { path })).body.faults).toMatchObject([{ applied: 0 }]);
  const { text } = await call(`${sandbox.operatorUrl}/metrics`);
  expect(text).not.toMatch(/^opentill_charges_total\{outcome="\w+"\} [1-9]/m);
});
