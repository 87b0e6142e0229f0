// The steps that a rehearsal foresees, and the gateway that it assumes.

import { expect, test } from 'vitest';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { declinedShare, type RehearsalRules, rehearse } from '../../../src/domain/subscriptions/rehearsal.ts';
import { RehearsalReport } from '../../../src/domain/subscriptions/rehearsal-report.ts';
import type { RenewableSubscription } from '../../../src/domain/subscriptions/renewal.ts';
import { dayMs, hourMs } from '../../../src/domain/time.ts';

const start = Date.UTC(2026, 0, 31, 9);
const end = Date.UTC(2026, 1, 28, 9);
const subscription = {
  ...{ firstPurchaseId: 'S-1' as PurchaseId, lastPurchaseId: 'S-1' as PurchaseId, productId: 'club' },
  ...{ firstStartTime: start, anchorTime: start, anchorIndex: -1, period: 'P1M', timeZone: 'UTC' },
  ...{ firstPeriod: null, price: 499, renewalPrice: null, currency: 'EUR', developerPayload: '' },
  ...{ autoRenewing: true, cancelReason: null, cancelledTime: null, terminatedTime: null },
  ...{ expiryTime: end, nextPaymentTime: end, lastPeriodIndex: 0, lastStartTime: start },
  ...{ openChargeTime: null, isExpired: false, consent: null },
} as unknown as RenewableSubscription;

const rules: RehearsalRules = {
  ...{ from: start, until: end + 40 * dayMs, retries: [hourMs, dayMs] },
  answer: () => 'paid',
};
const report = (more: Partial<RenewableSubscription>, changed: Partial<RehearsalRules> = {}) => {
  const sums = new RehearsalReport((instant) => new Date(instant).toISOString().slice(0, 10));
  const sold = { packageName: 'com.example.app', productId: 'club', currency: 'EUR' };
  for (const step of rehearse({ ...subscription, ...more }, undefined, { ...rules, ...changed })) {
    sums.add(sold, step);
  }
  return sums;
};

test('each period is charged when it falls due, the first after a trial by its kind, and rows are added up', () => {
  const sums = report({ firstPeriod: 'P28D', renewalPrice: 990 });
  expect(sums.rows()).toMatchObject([
    { date: '2026-02-28', kind: 'trialEnds', price: 990, charged: 1, amount: 990 },
    { date: '2026-03-31', kind: 'renewal', price: 990, charged: 1, amount: 990 },
  ]);
  expect(sums.totals('currency')).toMatchObject([{ currency: 'EUR', charged: 2, amount: 1_980, lost: 0 }]);
});

test('a declined charge is recovered or lost by the schedule of retries', () => {
  const recovered = report(
    {},
    { answer: (_, { attempt }) => (attempt < 3 ? 'declined' : 'paid'), until: end + 2 * dayMs },
  );
  expect(recovered.totals('currency')).toMatchObject([
    { charged: 1, amount: 499, declined: 2, recovered: 1, recoveredAmount: 499, lost: 0 },
  ]);
  const lost = report({}, { answer: () => 'declined' });
  expect(lost.totals('currency')).toMatchObject([{ charged: 0, declined: 3, lost: 1, lostAmount: 499 }]);
});

test('a subscription without auto-payment ends without a charge, and one that awaits consent is apart', () => {
  const off = {
    autoRenewing: false,
    nextPaymentTime: null,
    cancelReason: '0',
    cancelledTime: start,
  } as const;
  expect(report(off).rows()).toMatchObject([
    { kind: 'lastPeriod', date: '2026-02-28', charged: 0, ended: 1 },
  ]);
  expect(report({ ...off, consent: 'awaited', renewalPrice: 599 }).rows()).toMatchObject([
    { kind: 'awaitsConsent', price: 599, charged: 0, ended: 0, awaited: 1, awaitedAmount: 599 },
  ]);
});

test('a share of the attempts is declined, the same ones in any order, and others with another seed', () => {
  const attempts = Array.from({ length: 20_000 }, (_, index) => ({ periodIndex: index, attempt: 1 }));
  const declinedBy = (seed: number) => {
    const answer = declinedShare(0.03, seed, 'com.example.app');
    return attempts.filter((attempt) => answer(subscription, attempt) === 'declined');
  };
  const declined = declinedBy(1);
  expect(declined.length).toBeGreaterThan(500);
  expect(declined.length).toBeLessThan(700);
  expect(declinedBy(1)).toEqual(declined);
  expect(declinedBy(2)).not.toEqual(declined);
});
