// Two servers that concurrently renew the same apps on one database lose and duplicate nothing.

import { expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, useForFile } from '../harness.ts';
import {
  firstDue,
  openJob,
  type RenewalStage,
  secondDue,
  stageStart,
  startRenewalStage,
} from './renewal-stage.ts';
import { auditSubscriptions } from './subscription-audit.ts';

const minuteMs = 60_000;
const ofApp = 30;

/** A response may be slow on a busy machine; a charge that times out is retried and counted. */
const timeoutMs = 10_000;

const stage = await useForFile(startRenewalStage());
const apps = [stage.app];
for (const name of ['b', 'c']) apps.push(await createTestApp(stage.server, `com.several.${name}`));
for (const [index, app] of apps.entries()) {
  for (let nth = 0; nth < ofApp; nth += 1) {
    const purchaseTime = stageStart + nth;
    const purchaseId = `S-${index}-${nth}`;
    await stage.clock.set(purchaseTime);
    await recordTestPurchase(stage.server, app, { productId: 'monthly', purchaseId, purchaseTime });
  }
}

test('two servers on one database charge each month of each app once', async () => {
  const charged: [number, number] = [0, 0];
  const open = (server: 0 | 1) =>
    openJob(stage.server, stage, { timeoutMs, testing: { crashPoints: (point) => count(server, point) } });
  const first = open(0);
  const second = open(1);
  function count(server: 0 | 1, point: string): void {
    if (point === 'afterCharge') charged[server] += 1;
  }
  await using both = new AsyncDisposableStack();
  both.use(first);
  both.use(second);
  // Some charges get an invalid response first, or a pending one.
  stage.gateway.decide(({ attempt, startTime }, nth) => {
    if (nth === 1 && startTime % 5 === 0) return { outcome: 'paid', trouble: { status: 502 } };
    if (nth === 1 && startTime % 5 === 1) return { outcome: 'pending' };
    return { outcome: attempt === 1 && startTime % 5 === 2 ? 'declined' : 'paid' };
  });
  // Each round is late enough for what was not answered in the one before.
  for (const due of [firstDue, secondDue]) {
    for (let round = 0; round < 3; round += 1) {
      await stage.clock.set(due + ofApp + round * 61 * minuteMs);
      await Promise.all([first.job.runOnce(), second.job.runOnce()]);
    }
  }
  const audit = await auditSubscriptions(stage.server.connection, stage.gateway.taken, stage.clock.now());
  const subscriptions = apps.length * ofApp;
  expect(audit).toMatchObject({ problems: [], subscriptions, renewals: 2 * subscriptions, open: 0 });
  // Neither was idle, and no charge was sent by both.
  expect(Math.min(...charged)).toBeGreaterThan(0);
  const requests = stage.gateway.orders.length;
  const repeats = stage.gateway.orders.filter(({ startTime, attempt }) => attempt === 1 && startTime % 5 < 2);
  expect(charged[0] + charged[1]).toBe(requests);
  expect(requests).toBe(2 * subscriptions + repeats.length / 2 + declinesOf(stage));
  expect(stage.told.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

/** The gateway declines some charges, each of which is followed by another attempt. */
function declinesOf({ gateway }: RenewalStage): number {
  return gateway.orders.filter(({ attempt }) => attempt === 2).length;
}
