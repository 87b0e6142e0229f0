// An answer of the gateway that cannot be written yet is not lost: it waits in the server until it can be.

import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import {
  eventsOf,
  firstDue,
  hasty,
  lockWhenCharged,
  nextSubscription,
  openJob,
  passTo,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';

let id: string;

const stage = await useForFile(startRenewalStage(hasty));

beforeEach(async () => {
  id = await nextSubscription(stage);
});

const orders = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

test('a payment that waits too long for a lock is written when the lock is free, and the gateway is not asked again', async () => {
  const other = `other-${id}`;
  await subscribe(stage, other);
  await using locked = await lockWhenCharged(stage, id);
  await passTo(stage, firstDue);
  expect(await eventsOf(stage, id)).toEqual(['started']);
  expect(await eventsOf(stage, other)).toEqual(['started', 'renewed']);
  expect(stage.told.logLines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, app: stage.app.packageName, msg: 'renewals could not be written' },
  ]);
  await locked.commit();
  await stage.job.runOnce();
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  expect(orders()).toHaveLength(1);
});

test('a stop waits for a lock, and writes a payment before it ends', async () => {
  await using locked = await lockWhenCharged(stage, id);
  await using opened = openJob(stage.server, stage, hasty);
  await stage.clock.set(firstDue);
  await opened.job.runOnce();
  const stopping = opened.job.stop();
  await locked.commit();
  await stopping;
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});

test('a stop ends while a payment is still locked, and the next server asks the gateway again with the same key', async () => {
  await using locked = await lockWhenCharged(stage, id);
  await using opened = openJob(stage.server, stage, hasty);
  await stage.clock.set(firstDue);
  await opened.job.runOnce();
  await opened.job.stop();
  expect(await eventsOf(stage, id)).toEqual(['started']);
  await locked.commit();
  await passTo(stage, firstDue + 20_000);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  const keys = orders().map(({ idempotencyKey }) => idempotencyKey);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});
