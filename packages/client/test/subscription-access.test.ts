// subscriptionAccess on what a real server says about a subscription in each of its states.

import { expect, test } from 'vitest';
import { useForFile } from '../../../test/support/harness.ts';
import { type SubscriptionAccess, subscriptionAccess } from '../src/index.ts';
import { type StagedApp, startClientStage } from './client-stage.ts';

const stage = await useForFile(startClientStage());
let app: StagedApp;

const subscribe = async () => {
  app = await stage.createApp();
  await app.sandbox.putClock({ mode: 'frozen' });
  return (await app.sandbox.recordPurchase({ productId: 'monthly' })).purchaseId;
};

/** The access at the app's time, which the details of the newest period confirm. */
async function accessTo(firstPurchaseId: string): Promise<SubscriptionAccess> {
  const { now } = await app.sandbox.getClock();
  const last = await app.client.getLastRecurringPurchaseDetails({ purchaseId: firstPurchaseId });
  const paidPeriod = await app.client.getRecurringPurchaseDetails({ purchaseId: last.lastPurchaseId });
  const access = subscriptionAccess(last, { now });
  expect(subscriptionAccess(paidPeriod, { now })).toEqual(access);
  expect(access.until).toBe(last.expiryTime);
  return access;
}

test('a cancelled subscription gives access until the end of its period, and a voided one no more', async () => {
  const firstPurchaseId = await subscribe();
  await app.sandbox.cancelSubscription({ firstPurchaseId });
  const cancelled = { hasAccess: true, isPaymentOutstanding: false, willRenew: false };
  expect(await accessTo(firstPurchaseId)).toMatchObject(cancelled);
  await app.sandbox.voidPurchase({ purchaseId: firstPurchaseId });
  expect(await accessTo(firstPurchaseId)).toMatchObject({ ...cancelled, hasAccess: false });
});

const paidPeriod = { expiryTime: 2_000, nextPaymentTime: 2_000, autoRenewing: true };

test.each([
  [1_999, true, false],
  [2_000, false, true],
])('the paid period ends at its expiryTime, exclusive: at %i', (now, hasAccess, isPaymentOutstanding) => {
  expect(subscriptionAccess(paidPeriod, { now })).toEqual({
    hasAccess,
    isPaymentOutstanding,
    until: 2_000,
    willRenew: true,
  });
});

test.each([undefined, Number.NaN, '2000', new Date(2_000)])(
  'a time that is not a number throws a TypeError: %j',
  (now) => {
    const wrong = { now } as { now: number };
    expect(() => subscriptionAccess(paidPeriod, wrong)).toThrow(
      new TypeError('now: expected a time in ms since 1970'),
    );
  },
);
