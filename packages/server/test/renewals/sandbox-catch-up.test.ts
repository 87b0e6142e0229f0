// Lateness in the sandbox: by the clock of the app, and never because the server was stopped or renewals were paused.

import { getRenewals } from '@opentill/contract/operator-api/getRenewals.ts';
import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { expect, test } from 'vitest';
import { advance, historyOf } from '../app-clock/clock-calls.ts';
import { createTestApp, recordTestPurchase, startTestServer, testNow, useTestServer } from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { dayMs, openJobWith } from './renewal-stage.ts';

const server = await useTestServer();

test('in the sandbox what a stopped server missed happens at its due time, and nobody expires', async () => {
  const app = await createTestApp(server, 'com.example.stopped');
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
  const { events, months } = await historyOf(server.connection, app.packageName);
  const renewed = events.slice(starts.length);
  expect(renewed.map(({ type }) => type)).toEqual(Array(9).fill('subscription.renewed'));
  const ends = months.map(({ expiry_time }) => expiry_time).filter((end) => end <= now);
  expect(renewed.map(({ time }) => time)).toEqual(ends.toSorted((left, right) => left - right));
});

test('a payment that is pending for longer than OPENTILL_RENEWAL_GRACE_DAYS expires its subscription', async () => {
  await using short = await startTestServer({ env: { OPENTILL_RENEWAL_GRACE_DAYS: '1' } });
  const app = await createTestApp(short);
  await recordTestPurchase(short, app, { productId: 'monthly', purchaseId: 'S-1' });
  await putTestFaults(short, app, [{ operation: 'charge', outcome: 'pending' }]);
  const due = testNow + 31 * dayMs;
  expect((await advance(short, app, { to: due + dayMs })).happened).toEqual([]);
  const { happened } = await advance(short, app, { by: 'PT1H' });
  expect(happened).toMatchObject([{ type: 'subscription.expired', expiryReason: 'overdue' }]);
});

test('an advance charges nothing while renewals are paused, and after a resume everything happens at its due time', async () => {
  await server.clock.set(testNow);
  const app = await createTestApp(server);
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
