// A gateway whose response is lost; the period is still charged once and started once.

import { beforeEach, expect, test } from 'vitest';
import { useForFile } from '../../../../test/support/harness.ts';
import {
  eventsOf,
  firstDue,
  keyOf,
  lastDetails,
  nextSubscription,
  passTo,
  secondDue,
  shownSubscription,
  startRenewalStage,
} from '../../../../test/support/renewals/renewal-stage.ts';
import type { Decision, Trouble } from '../../../../test/support/renewals/test-gateway.ts';

const minuteMs = 60_000;

let id: string;

const stage = await useForFile(startRenewalStage());
beforeEach(async () => {
  id = await nextSubscription(stage);
});

const deciding = (by: () => Decision): void =>
  stage.gateway.decide(({ firstPurchaseId }) => (firstPurchaseId === id ? by() : { outcome: 'paid' }));

const requests = () => stage.gateway.orders.filter(({ firstPurchaseId }) => firstPurchaseId === id);

test.each<Trouble>(['reset', 'lostRequest'])(
  'a gateway with the trouble %s gets a retry with the same key and charges once',
  async (trouble) => {
    const isTroubled = () => stage.clock.now() < firstDue + minuteMs;
    deciding(() => ({ outcome: 'paid', trouble: isTroubled() ? trouble : 'none' }));
    await passTo(stage, firstDue);
    // After a reused connection breaks, the charge is sent again on a new one.
    const asked = requests().length;
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
    const keys = new Set(requests().map(({ idempotencyKey }) => idempotencyKey));
    expect([...keys].map((key) => stage.gateway.taken.get(key))).toEqual([1]);
    expect(await lastDetails(stage, id)).toMatchObject({ startTime: firstDue, expiryTime: secondDue });
    expect((await shownSubscription(stage, id)).periods).toHaveLength(2);
    expect(await eventsOf(stage, id)).toEqual(['started', 'renewed']);
  },
);

test('a charge request contains the product, the buyer, the period and its own idempotency key', async () => {
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
      period: 'P1M',
      periodIndex: 1,
      attempt: 1,
      price: 499,
      currency: 'EUR',
      startTime: firstDue,
    },
  ]);
});
