// Every response of a gateway, and its effects.

import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../harness.ts';
import {
  eventsOf,
  firstDue,
  hourMs,
  keyOf,
  lastDetails,
  passTo,
  secondDue,
  shownSubscription,
  stageStart,
  startRenewalStage,
  subscribe,
} from './renewal-stage.ts';
import type { Outcome } from './test-gateway.ts';

let count = 0;
let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  await stage.clock.set(stageStart);
  count += 1;
  id = `S-${count}`;
  await subscribe(stage, id, { buyerId: 'ann', developerPayload: 'order-7' });
});

/** The gateway returns these outcomes in turn for this subscription, and approves all others. */
function answering(...outcomes: readonly Outcome[]): void {
  let given = 0;
  stage.gateway.decide(({ firstPurchaseId }) => {
    if (firstPurchaseId !== id) return { outcome: 'paid' };
    given += 1;
    return { outcome: outcomes[given - 1] ?? 'paid' };
  });
}

const ordersOf = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

test('a charge request contains the product, the buyer, the month and its own idempotency key', async () => {
  answering();
  await passTo(stage, firstDue - 1);
  expect(ordersOf()).toEqual([]);
  await passTo(stage, firstDue);
  expect(ordersOf()).toEqual([
    {
      idempotencyKey: keyOf(stage.app, id, 1, 1),
      packageName: stage.app.packageName,
      productId: 'monthly',
      firstPurchaseId: id,
      buyerId: 'ann',
      developerPayload: 'order-7',
      periodIndex: 1,
      attempt: 1,
      price: 499,
      currency: 'EUR',
      startTime: firstDue,
    },
  ]);
  expect(stage.gateway.badSignatures).toBe(0);
});

test('paid starts the next month at the old expiryTime, and its purchase is the newest', async () => {
  answering('paid');
  await passTo(stage, firstDue + 5_000);
  const last = await lastDetails(stage, id);
  expect(last).toMatchObject({
    startTime: firstDue,
    expiryTime: secondDue,
    nextPaymentTime: secondDue,
    autoRenewing: true,
  });
  expect(last.lastPurchaseId).toMatch(/^260228090005[0-9]{8}$/);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  const { months } = await shownSubscription(stage, id);
  expect(months).toHaveLength(2);
  await passTo(stage, firstDue + 10_000);
  expect(ordersOf()).toHaveLength(1);
});

test('declined is retried with a new key, and the fifth decline ends auto-payment with cancelReason 1', async () => {
  answering('declined', 'declined', 'declined', 'declined', 'declined');
  for (const hours of [0, 1, 6, 24, 48]) await passTo(stage, firstDue + hours * hourMs);
  const end = firstDue + 48 * hourMs;
  const last = await lastDetails(stage, id);
  expect(last).toMatchObject({
    autoRenewing: false,
    expiryTime: firstDue,
    cancelReason: '1',
    cancelledTime: end,
    lastPurchaseId: id,
  });
  expect(last).not.toHaveProperty('nextPaymentTime');
  expect(await shownSubscription(stage, id)).toMatchObject({ state: 'expired' });
  await passTo(stage, end + 1000 * hourMs);
  expect(ordersOf().map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    [1, 2, 3, 4, 5].map((attempt) => keyOf(stage.app, id, 1, attempt)),
  );
  const failures = Array.from({ length: 5 }, () => 'payment_failed');
  expect(await eventsOf(stage, id)).toEqual(['started', ...failures, 'expired']);
});

test('pending is retried with the same key after 1, 2, 4 minutes and so on, until there is an outcome', async () => {
  answering('pending', 'pending', 'pending', 'pending', 'paid');
  let now = firstDue;
  await passTo(stage, now);
  for (const minutes of [1, 2, 4, 8]) {
    const before = ordersOf().length;
    await passTo(stage, now + minutes * 60_000 - 1);
    expect(ordersOf()).toHaveLength(before);
    expect(await lastDetails(stage, id)).toMatchObject({ expiryTime: firstDue, nextPaymentTime: firstDue });
    now += minutes * 60_000;
    await passTo(stage, now);
    expect(ordersOf()).toHaveLength(before + 1);
  }
  expect(new Set(ordersOf().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
});
