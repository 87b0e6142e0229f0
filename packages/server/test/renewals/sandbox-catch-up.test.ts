// Lateness in the sandbox: by the clock of the app, and never because the server was stopped.

import { expect, test } from 'vitest';
import { advance, historyOf } from '../app-clock/clock-calls.ts';
import { createTestApp, recordTestPurchase, startTestServer, testNow, useTestServer } from '../harness.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { dayMs, openJobWith } from './renewal-stage.ts';

const server = await useTestServer();

test('in the sandbox what a stopped server missed happens at its due time, and nobody expires', async () => {
  const app = await createTestApp(server);
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
