import { describe, expect, test } from 'vitest';
import { changed, startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { decideCancel, decideReactivate } from '../../../src/domain/subscriptions/auto-payment.ts';
import {
  decidePaidPeriod,
  decideVoidOfPeriod,
  describeRecurringPurchase,
  type Subscription,
  subscriptionStateAt,
} from '../../../src/domain/subscriptions/subscription.ts';

const startTime = Date.UTC(2026, 0, 31);
const firstEnd = Date.UTC(2026, 1, 28);
const secondEnd = Date.UTC(2026, 2, 31);
const cancelTime = firstEnd - 1000;
const voidTime = secondEnd - 1000;

const started = startedAt(startTime);

const active = started.subscription;
const off = changed(decideCancel(active, { now: cancelTime, reason: '0' }));
const terminated = changed(decideCancel(active, { now: firstEnd + 5, reason: '1' }));
const voided = decideVoidOfPeriod(active, started.paidPeriod, {
  voidedTime: cancelTime,
  reason: '1',
}).subscription;
if (voided === undefined) throw new Error('Voiding the newest period did not end the subscription.');

test.each<[string, Subscription, number, string]>([
  ['at its start', active, startTime, 'active'],
  ['before expiryTime', active, firstEnd - 1, 'active'],
  ['at expiryTime', active, firstEnd, 'paymentOutstanding'],
  ['after expiryTime', active, firstEnd + 1, 'paymentOutstanding'],
  ['with auto-payment off before expiryTime', off, firstEnd - 1, 'autoPaymentOff'],
  ['with auto-payment off at expiryTime', off, firstEnd, 'expired'],
  ['at its termination', terminated, firstEnd + 5, 'terminated'],
  ['terminated by a clock that is ahead', terminated, firstEnd + 4, 'terminated'],
  ['at its void', voided, cancelTime, 'terminated'],
  ['voided by a clock that is ahead', voided, cancelTime - 1, 'terminated'],
])('a subscription %s has the state of the table', (_case, subscription, now, state) => {
  expect(subscriptionStateAt(subscription, now)).toBe(state);
});

describe('cancels', () => {
  test('a cancel of an active subscription ends auto-payment and keeps access until expiryTime', () => {
    const now = firstEnd - 500;
    const cancelled = { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: now };
    expect(decideCancel(active, { now, reason: '1' })).toEqual({ changed: { ...active, ...cancelled } });
  });

  test('a cancel while payment is outstanding ends the subscription at once and keeps expiryTime', () => {
    const times = { nextPaymentTime: null, cancelledTime: firstEnd, terminatedTime: firstEnd };
    expect(decideCancel(active, { now: firstEnd, reason: '1' })).toEqual({
      changed: { ...active, autoRenewing: false, cancelReason: '1', ...times },
    });
  });

  test.each([
    ['with auto-payment off', off, firstEnd - 1],
    ['that has expired', off, firstEnd],
    ['that was terminated', terminated, firstEnd + 6],
    ['that was voided', voided, cancelTime],
  ])('a cancel of a subscription %s is rejected', (_state, subscription, instant) => {
    expect(decideCancel(subscription, { now: instant, reason: '1' })).toBe('refused');
  });
});

describe('reactivations', () => {
  test('a reactivation while auto-payment is off reverts the cancel, unless the expiry was published', () => {
    expect(
      decideReactivate(off, { now: firstEnd - 1, isExpired: false, isErased: false, by: 'app' }),
    ).toEqual({
      changed: active,
    });
    expect(decideReactivate(off, { now: firstEnd - 1, isExpired: true, isErased: false, by: 'app' })).toBe(
      'refused',
    );
  });

  test.each([
    ['that is active', active, firstEnd - 1],
    ['whose payment is outstanding', active, firstEnd],
    ['that has expired', off, firstEnd],
    ['that was terminated', terminated, firstEnd + 6],
    ['that was voided', voided, cancelTime],
  ])('a reactivation of a subscription %s is rejected', (_state, subscription, instant) => {
    expect(
      decideReactivate(subscription, { now: instant, isExpired: false, isErased: false, by: 'app' }),
    ).toBe('refused');
  });
});

describe('voids', () => {
  const { changed: subscription, paidPeriod: second } = decidePaidPeriod(active, 'second' as PurchaseId);
  const first = started.paidPeriod;

  test('a void of the newest period ends the subscription at once', () => {
    const after = decideVoidOfPeriod(subscription, second, { voidedTime: voidTime, reason: '0' });
    const times = { nextPaymentTime: null, cancelledTime: voidTime, terminatedTime: voidTime };
    expect(after).toEqual({
      subscription: {
        ...subscription,
        ...times,
        autoRenewing: false,
        cancelReason: '0',
        expiryTime: voidTime,
      },
      paidPeriod: { ...second, expiryTime: voidTime, voidedTime: voidTime, voidReason: '0' },
    });
  });

  test('a void of an earlier period does not change the subscription', () => {
    const after = decideVoidOfPeriod(subscription, first, { voidedTime: voidTime, reason: '0' });
    expect(after).toEqual({ paidPeriod: { ...first, voidedTime: voidTime, voidReason: '0' } });
  });

  test('the void of a period paid after a termination does not change the subscription', () => {
    const { paidPeriod } = decidePaidPeriod(terminated, 'second' as PurchaseId);
    const after = decideVoidOfPeriod(terminated, paidPeriod, { voidedTime: voidTime, reason: '1' });
    expect(after).toEqual({ paidPeriod: { ...paidPeriod, voidedTime: voidTime, voidReason: '1' } });
    expect(describeRecurringPurchase(terminated, after.paidPeriod)).toMatchObject({
      autoRenewing: false,
      purchaseState: 1,
      cancelledTime: voidTime,
    });
  });
});
