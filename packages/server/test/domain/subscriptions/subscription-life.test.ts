// Random histories of a subscription: its invariants hold after any sequence of operations.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changed, startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import type { CancelReason } from '../../../src/domain/purchases/purchase.ts';
import { decideCancel, decideReactivate } from '../../../src/domain/subscriptions/auto-payment.ts';
import { periodEnd } from '../../../src/domain/subscriptions/calendar-period.ts';
import { decideExtension } from '../../../src/domain/subscriptions/extension.ts';
import {
  decidePaidPeriod,
  decideVoidOfPeriod,
  describeLastRecurringPurchase,
  describeRecurringPurchase,
  type PaidPeriod,
  type Subscription,
  subscriptionStateAt,
} from '../../../src/domain/subscriptions/subscription.ts';
import { subscriptionProblems } from '../../../src/domain/subscriptions/subscription-rules.ts';
import { dayMs } from '../../../src/domain/time.ts';
import { cancelReasons } from '../arbitraries.ts';
import { firstPeriods, periods } from './sold-periods.ts';

type Step =
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'cancel'; readonly reason: CancelReason; readonly chargeIsOpen: boolean }
  | { readonly kind: 'reactivate' }
  | { readonly kind: 'extend'; readonly hours: number }
  | { readonly kind: 'pay' }
  | { readonly kind: 'void'; readonly pick: number; readonly reason: CancelReason };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 800 }) }),
  fc.record({ kind: fc.constant('cancel' as const), reason: cancelReasons, chargeIsOpen: fc.boolean() }),
  fc.constant({ kind: 'reactivate' as const }),
  fc.record({ kind: fc.constant('extend' as const), hours: fc.integer({ min: 1, max: 2_000 }) }),
  fc.constant({ kind: 'pay' as const }),
  fc.record({ kind: fc.constant('void' as const), pick: fc.nat({ max: 20 }), reason: cancelReasons }),
);

interface Life {
  now: number;
  subscription: Subscription;
  periods: PaidPeriod[];
}

type Sold = Pick<Subscription, 'timeZone' | 'period' | 'firstPeriod'>;

function begun(startTime: number, sold: Sold): Life {
  const { subscription, paidPeriod } = startedAt(startTime, {
    ...sold,
    purchaseId: 'period-0' as PurchaseId,
  });
  return { now: startTime, subscription, periods: [paidPeriod] };
}

/** Applies a step as the store would and returns whether it was rejected. */
function live(life: Life, asked: Step): boolean {
  const { now, subscription, periods } = life;
  if (asked.kind === 'wait') {
    life.now += asked.hours * 3_600_000;
    return false;
  }
  if (asked.kind === 'pay') {
    if (subscription.nextPaymentTime === null || now < subscription.nextPaymentTime) return true;
    const paid = decidePaidPeriod(subscription, `period-${periods.length}` as PurchaseId);
    life.subscription = paid.changed;
    periods.push(paid.paidPeriod);
    return false;
  }
  if (asked.kind === 'extend') {
    const expiryTime = subscription.expiryTime + asked.hours * 3_600_000;
    const stored = { ...subscription, openChargeTime: null, isExpired: false };
    const decision = decideExtension(stored, { now, expiryTime });
    if (decision.kind !== 'changed') return true;
    const { openChargeTime: _, isExpired: __, ...extended } = decision.changed as typeof stored;
    const newest = periods.at(-1);
    if (newest === undefined) throw new Error('A subscription without a period.');
    periods[periods.length - 1] = { ...newest, expiryTime };
    life.subscription = extended;
    return false;
  }
  if (asked.kind === 'void') {
    const index = asked.pick % periods.length;
    const paidPeriod = periods[index];
    if (paidPeriod === undefined) throw new Error('Period not found.');
    const after = decideVoidOfPeriod(subscription, paidPeriod, { voidedTime: now, reason: asked.reason });
    life.subscription = after.subscription ?? subscription;
    periods[index] = after.paidPeriod;
    return after.paidPeriod === paidPeriod;
  }
  const decision =
    asked.kind === 'cancel'
      ? decideCancel(subscription, { ...asked, now })
      : decideReactivate(subscription, { now, isExpired: false, isErased: false, by: 'app' });
  if (decision !== 'refused') life.subscription = decision.changed;
  return decision === 'refused';
}

const aPeriodAfter = (start: number, { period, timeZone }: Subscription) =>
  periodEnd({ anchorTime: start, anchorIndex: -1, period, timeZone }, 0);

function frozen(life: Life): Life {
  for (const value of [life.subscription, ...life.periods]) Object.freeze(value);
  return life;
}

function expectSound({ subscription, periods, now }: Life): void {
  const { autoRenewing, cancelReason, cancelledTime, nextPaymentTime } = subscription;
  expect(nextPaymentTime === null).toBe(!autoRenewing);
  expect(cancelledTime === null).toBe(autoRenewing);
  expect(cancelReason === null).toBe(autoRenewing);
  expect(autoRenewing && subscription.terminatedTime !== null).toBe(false);
  const stored = {
    subscription: { ...subscription, openChargeTime: null, isExpired: false },
    periods: periods.map((paidPeriod) => ({ ...paidPeriod, productId: subscription.productId })),
    attempts: [],
  };
  expect(subscriptionProblems(stored, { packageName: 'com.example.app', now })).toEqual([]);
  const newest = periods.at(-1);
  if (newest === undefined) throw new Error('A subscription without a period.');
  const hasEnded = newest.voidedTime !== null;
  if (hasEnded) expect(subscriptionStateAt(subscription, now)).toBe('terminated');
  for (const [index, { startTime, expiryTime, voidedTime }] of periods.entries()) {
    // A period starts where the one before it ends, so no instant is paid for twice.
    if (index > 0) expect(startTime).toBe(periods[index - 1]?.expiryTime);
    const isOwnLength = index === 0 && subscription.firstPeriod !== null;
    const shortest =
      voidedTime === null && !isOwnLength ? aPeriodAfter(startTime, subscription) - 3 * dayMs : startTime;
    expect(expiryTime).toBeGreaterThanOrEqual(shortest);
  }
  const { lastPurchaseId, ...last } = describeLastRecurringPurchase(subscription);
  expect(lastPurchaseId).toBe(newest.purchaseId);
  expect(describeRecurringPurchase(subscription, newest)).toMatchObject(last);
}

const lives = fc.record({
  startTime: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }),
  timeZone: fc.constantFrom('UTC', 'Asia/Seoul', 'Europe/Berlin', 'America/New_York'),
  period: periods,
  firstPeriod: firstPeriods,
  steps: fc.array(step, { maxLength: 40, size: 'max' }),
});

const extendedByHours: typeof lives extends fc.Arbitrary<infer Value> ? Value : never = {
  startTime: Date.UTC(2025, 3, 1),
  timeZone: 'UTC',
  period: 'P1M',
  firstPeriod: 'P30D',
  steps: [{ kind: 'extend', hours: 6 }],
};

test('whatever happens, a subscription stays consistent, a rejected operation changes nothing, and a termination is final', () => {
  fc.assert(
    fc.property(lives, ({ startTime, steps, ...sold }) => {
      const life = frozen(begun(startTime, sold));
      expectSound(life);
      for (const asked of steps) {
        const before = structuredClone(life);
        const isRejected = live(life, asked);
        if (isRejected) expect(life).toEqual(before);
        else expect(life).not.toEqual(before);
        expectSound(frozen(life));
        const { terminatedTime, expiryTime } = before.subscription;
        if (terminatedTime === null) continue;
        expect(life.subscription.terminatedTime).toBe(terminatedTime);
        expect(life.subscription.expiryTime).toBeLessThanOrEqual(expiryTime);
      }
    }),
    { numRuns: 1_000, examples: [[extendedByHours]] },
  );
});

test('a cancel and a reactivation within the period leave no trace', () => {
  fc.assert(
    fc.property(lives, cancelReasons, ({ startTime, steps: _, ...sold }, cancelReason) => {
      const { subscription } = begun(startTime, sold);
      const cancelled = changed(decideCancel(subscription, { now: startTime + 1, reason: cancelReason }));
      const back = decideReactivate(cancelled, {
        now: startTime + 2,
        isExpired: false,
        isErased: false,
        by: 'app',
      });
      expect(back).toEqual({ changed: subscription });
    }),
  );
});
