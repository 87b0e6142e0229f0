// The renewal metrics of a server with running jobs.

import { afterEach, expect, test } from 'vitest';
import { call, createTestApp, recordTestPurchase, startTestServer, type TestServer } from '../harness.ts';
import { setClockMark } from '../stage.ts';
import { TestClock } from '../test-clock.ts';
import { waitFor } from '../wait-for.ts';
import { firstDue, hourMs, stageEnv, stageStart } from './renewal-stage.ts';
import { type Outcome, startTestGateway } from './test-gateway.ts';

const running: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function metricsOf(server: TestServer): Promise<{ charges: Record<string, number>; overdue: number }> {
  const { text } = await call(`${server.operatorUrl}/metrics`);
  const charges = [...text.matchAll(/^opentill_charges_total\{outcome="(\w+)"\} (\d+)$/gm)];
  const overdue = /^opentill_oldest_overdue_renewal_seconds ([\d.]+)$/m.exec(text)?.[1];
  return {
    charges: Object.fromEntries(charges.map(([, outcome, count]) => [outcome, Number(count)])),
    overdue: Number(overdue),
  };
}

test('production counts charges by outcome and reports the age of the oldest due payment', async () => {
  const gateway = await startTestGateway();
  running.push(gateway);
  const clock = new TestClock(stageStart);
  const server = await startTestServer({
    clock,
    runsJobs: true,
    env: stageEnv(gateway),
  });
  running.push(server);
  const outcomes: Record<string, Outcome> = { P: 'paid', D: 'declined', F: 'declined_final', W: 'pending' };
  gateway.decide(({ firstPurchaseId }) => {
    const outcome = outcomes[firstPurchaseId];
    return outcome === undefined ? { outcome: 'paid', trouble: { status: 503 } } : { outcome };
  });
  const app = await createTestApp(server);
  for (const purchaseId of [...Object.keys(outcomes), 'U']) {
    await recordTestPurchase(server, app, { productId: 'monthly', purchaseId });
  }
  expect(await metricsOf(server)).toEqual({ charges: {}, overdue: 0 });
  await clock.set(firstDue);
  await setClockMark(server, firstDue);
  const each = { paid: 1, declined: 1, declined_final: 1, pending: 1, unknown: 1 };
  const isCounted = async () => Object.keys((await metricsOf(server)).charges).length === 5;
  await waitFor(isCounted, { deadlineMs: 15_000, what: 'five charges' });
  expect((await metricsOf(server)).charges).toEqual(each);
  // The next poll reports the open attempts, without a response and pending, since they were due.
  await clock.set(firstDue + 30_000);
  await waitFor(async () => (await metricsOf(server)).overdue === 30, { deadlineMs: 15_000, what: '30 s' });
  gateway.decide(() => ({ outcome: 'paid' }));
  await clock.set(firstDue + hourMs);
  const isPaid = async () => (await metricsOf(server)).charges['paid'] === 4;
  await waitFor(isPaid, { deadlineMs: 15_000, what: 'the payment of all' });
  await waitFor(async () => (await metricsOf(server)).overdue === 0, {
    deadlineMs: 15_000,
    what: 'nothing due',
  });
});
