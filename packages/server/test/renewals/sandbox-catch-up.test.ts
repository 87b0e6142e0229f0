// A sandbox whose server was stopped, such as that of a laptop that slept.

import { expect, test } from 'vitest';
import { historyOf } from '../app-clock/clock-calls.ts';
import { createTestApp, recordTestPurchase, testNow, useTestServer } from '../harness.ts';
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
  server.clock.set(now);
  await other.job.runOnce();
  const { events, months } = await historyOf(server.connection, app.packageName);
  const renewed = events.slice(starts.length);
  expect(renewed.map(({ type }) => type)).toEqual(Array(9).fill('subscription.renewed'));
  const ends = months.map(({ expiry_time }) => expiry_time).filter((end) => end <= now);
  expect(renewed.map(({ time }) => time)).toEqual(ends.toSorted((left, right) => left - right));
});
