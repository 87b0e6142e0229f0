// A gateway that is slow, silent or invalid for some apps does not delay the others.

import { beforeEach, expect, test } from 'vitest';
import { batchesAtOnceMax, silentAtOnceMax } from '../../src/jobs/subscriptions/renewal-job.ts';
import type { PaymentGateway } from '../../src/operations/subscriptions/gateways/payment-gateway.ts';
import { batchMax } from '../../src/operations/subscriptions/renewal/renew-batch.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { insertApp, insertSubscriptions } from './due-subscriptions.ts';
import { heldGateway } from './held-gateway.ts';
import {
  dayMs,
  firstDue,
  keyOf,
  openJobWith,
  passTo,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from './renewal-stage.ts';

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  await stage.clock.set(stageStart);
});

test('a subscription that cannot be written blocks no other of its app and is charged once', async () => {
  const ids = ['P-1', 'P-2', 'P-3', 'P-4'];
  for (const id of ids) await subscribe(stage, id);
  const setZone = (zone: string) =>
    query(
      stage.server.connection,
      `update subscription set time_zone = '${zone}' where first_purchase_id = 'P-2'`,
    );
  // A time zone that this server does not know.
  await setZone('Mars/Olympus_Mons');
  stage.told.logLines.length = 0;
  await passTo(stage, firstDue);
  const months = async () =>
    Promise.all(ids.map(async (id) => (await shownSubscription(stage, id)).months.length));
  expect(await months()).toEqual([2, 1, 2, 2]);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, app: stage.app.packageName, msg: 'renewals could not be written' }),
  ]);
  await setZone('UTC');
  await passTo(stage, firstDue + 20_000);
  expect(await months()).toEqual([2, 2, 2, 2]);
  expect(stage.gateway.taken.get(keyOf(stage.app, 'P-2', 1, 1))).toBe(1);
});

/** No answer is ever written for its charges. */
async function insertDeadApp(packageName: string, count: number): Promise<void> {
  await insertApp(stage.server.connection, packageName);
  const due = { count, start: stageStart - dayMs, due: firstDue - dayMs };
  await insertSubscriptions(stage.server.connection, packageName, due);
}

test('overdue apps without responses delay no other app, and each of them has its turn', async () => {
  const dead = Array.from({ length: 2 * batchesAtOnceMax }, (_, index) => `com.dead.app${index + 10}`);
  for (const packageName of dead) await insertDeadApp(packageName, 2 * batchMax);
  await insertDeadApp('com.dead.large', 50_001);
  const app = await createTestApp(stage.server, 'com.isolated.quick');
  const quick = { ...stage, app };
  await subscribe(quick, 'S-1');
  const charged = new Map<string, number>();
  const held = heldGateway();
  const gateway: PaymentGateway = {
    async charge(charge, signal) {
      const { packageName } = charge;
      if (!packageName.startsWith('com.dead.')) return { outcome: 'paid' };
      charged.set(packageName, (charged.get(packageName) ?? 0) + 1);
      const isFirst = (charged.get(packageName) ?? 0) <= batchMax;
      return isFirst ? { outcome: 'unknown', reason: 'none' } : held.charge(charge, signal);
    },
  };
  await using one = openJobWith(stage.server, { gateway, environment: 'production' });
  await stage.clock.set(firstDue);
  one.job.start();
  const isRenewed = async () => (await shownSubscription(quick, 'S-1')).months.length === 2;
  await waitFor(isRenewed, { what: 'the quick app' });
  const apps = () => new Set([...held.waiting.keys()].map((key) => key.split('/')[1]));
  const isFull = () => held.waiting.size === silentAtOnceMax * batchMax;
  await waitFor(isFull, { what: 'the batches that such apps may have' });
  const first = apps();
  held.answer({ outcome: 'unknown', reason: 'none' });
  await waitFor(isFull, { what: 'the batches of the next apps' });
  expect([...apps()].filter((name) => first.has(name))).toEqual([]);
});
