// A faulty gateway responds late, twice, invalidly, elsewhere or never; each month is still charged once and started once.

import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../harness.ts';
import {
  eventsOf,
  firstDue,
  keyOf,
  lastDetails,
  nextSubscription,
  openJob,
  passTo,
  secondDue,
  shownSubscription,
  silenceMs,
  startRenewalStage,
} from './renewal-stage.ts';
import type { Decision, Order, Trouble } from './test-gateway.ts';

const minuteMs = 60_000;

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

/** The job of a server that soon stops waiting for a response. */
const openImpatientJob = () => openJob(stage.server, stage, { timeoutMs: silenceMs });

function deciding(by: (order: Order, nth: number) => Decision): void {
  stage.gateway.decide((order, nth) => (order.firstPurchaseId === id ? by(order, nth) : { outcome: 'paid' }));
}

const requests = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);
const keys = () => new Set(requests().map(({ idempotencyKey }) => idempotencyKey));
const timesTaken = () => [...keys()].map((key) => stage.gateway.taken.get(key) ?? 0);

async function expectRenewedOnce(): Promise<void> {
  expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
  expect((await shownSubscription(stage, id)).months).toHaveLength(2);
  expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  expect(timesTaken()).toEqual([1]);
}

const troubles: readonly (readonly [what: string, trouble: Trouble])[] = [
  ['is never heard of again', 'silence'],
  ['breaks the connection', 'reset'],
  ['loses the request', 'lostRequest'],
  ['answers with a fault', { status: 500, body: '{"outcome":"paid"}' }],
  ['answers with garbage', { status: 200, body: 'paid' }],
];

test.each(troubles)(
  'a gateway that %s gets a retry with the same key and charges once',
  async (_what, trouble) => {
    const isTroubled = () => stage.clock.now() < firstDue + minuteMs;
    deciding(() => ({ outcome: 'paid', trouble: isTroubled() ? trouble : 'none' }));
    await using impatient = openImpatientJob();
    await passTo(trouble === 'silence' ? { ...stage, ...impatient } : stage, firstDue);
    // After a reused connection breaks, the charge is sent again on a new one.
    const asked = requests().length;
    expect(stage.told.outcomes.at(-1)).toBe('unknown');
    expect(await lastDetails(stage, id)).toMatchObject({
      expiryTime: firstDue,
      nextPaymentTime: firstDue,
      autoRenewing: true,
      lastPurchaseId: id,
    });
    expect(await eventsOf(stage, id)).toEqual(['started']);
    await passTo(stage, firstDue + minuteMs - 1);
    expect(requests()).toHaveLength(asked);
    await passTo(stage, firstDue + minuteMs);
    expect(requests()).toHaveLength(asked + 1);
    expect(keys().size).toBe(1);
    await expectRenewedOnce();
  },
);

test('a charge request contains the product, the buyer, the month and its own idempotency key', async () => {
  deciding(() => ({ outcome: 'paid' }));
  await passTo(stage, firstDue - 1);
  expect(requests()).toEqual([]);
  await passTo(stage, firstDue);
  expect(requests()).toEqual([
    {
      idempotencyKey: keyOf(stage.app, id, 1, 1),
      packageName: stage.app.packageName,
      productId: 'monthly',
      firstPurchaseId: id,
      developerPayload: '',
      periodIndex: 1,
      attempt: 1,
      price: 499,
      currency: 'EUR',
      startTime: firstDue,
    },
  ]);
  expect(stage.gateway.badSignatures).toBe(0);
});
