// The due work and the effect of each answer: the rules of docs/decisions/subscriptions.md, and the invariants of
// every history.

import { sizes } from '@opentill/contract/fields.ts';
import { chargeRetriesMax } from '@opentill/contract/limits.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changed, defaultRetries, startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PackageName, PurchaseId } from '../../../src/domain/identifiers.ts';
import { decideCancel } from '../../../src/domain/subscriptions/auto-payment.ts';
import { attemptsMax, chargeableUntil, nextTryTime } from '../../../src/domain/subscriptions/charge-times.ts';
import {
  decideDueWork,
  decideSettlement,
  idempotencyKeyOf,
  type RenewableSubscription,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import { decideVoidOfPeriod, type Subscription } from '../../../src/domain/subscriptions/subscription.ts';
import { minuteMs } from '../../../src/domain/time.ts';
import { identifiers } from '../arbitraries.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31, 9);
const due = Date.UTC(2026, 1, 28, 9);
const paidId = 'second' as PurchaseId;

const started = startedAt(start);
const active: Subscription = started.subscription;

const cancelled = (now: number, chargeIsOpen: boolean) =>
  changed(decideCancel(active, { now, reason: '0', chargeIsOpen }));

function voided(now: number): Subscription {
  const { subscription } = decideVoidOfPeriod(active, started.paidPeriod, { voidedTime: now, reason: '1' });
  if (subscription === undefined) throw new Error('The void ended no subscription.');
  return subscription;
}

const renewable = (subscription: Subscription, kept: Partial<RenewableSubscription> = {}) => ({
  ...{ openChargeTime: null, isExpired: false },
  ...subscription,
  ...kept,
});

const dueWork = (subscription: Subscription, now: number, kept?: Partial<RenewableSubscription>) =>
  decideDueWork(renewable(subscription, kept), { now, newest: undefined });

/** The first attempt, without an outcome. */
const firstAttempt = {
  ...{ periodIndex: 1, attempt: 1, outcome: null },
  ...{ wasPending: false, begunTime: due },
} as const;

describe('due work', () => {
  test('the first attempt is due at exactly nextPaymentTime', () => {
    expect(dueWork(active, due - 1)).toBeUndefined();
    expect(dueWork(active, due)).toEqual({ kind: 'attempt', number: { periodIndex: 1, attempt: 1 } });
  });

  test('the next due attempt follows the newest of the period, and each period starts with attempt 1', () => {
    const declined = { ...firstAttempt, attempt: 2, outcome: 'declined' } as const;
    const after = (periodIndex: number) =>
      decideDueWork(renewable(active), { now: due, newest: { ...declined, periodIndex } });
    expect(after(1)).toEqual({ kind: 'attempt', number: { periodIndex: 1, attempt: 3 } });
    expect(after(0)).toEqual({ kind: 'attempt', number: { periodIndex: 1, attempt: 1 } });
  });

  test('only the retry of an open attempt is due, whatever the state of the subscription', () => {
    for (const subscription of [active, cancelled(due, true), voided(due)]) {
      const open = renewable(subscription, { openChargeTime: due + 60_000 });
      const at = (now: number) => decideDueWork(open, { now, newest: firstAttempt });
      expect([at(due + 59_999), at(due + 60_000)]).toEqual([undefined, { kind: 'retry' }]);
    }
  });

  test('the expiry of a cancelled subscription is due once', () => {
    const off = cancelled(start + 1, false);
    expect(dueWork(off, due - 1)).toBeUndefined();
    expect(dueWork(off, due)).toEqual({ kind: 'expiry' });
    expect(dueWork(off, due, { isExpired: true })).toBeUndefined();
  });

  test('nothing is due once the subscription is terminated', () => {
    expect(dueWork(voided(start + 1), due + hourMs)).toBeUndefined();
    expect(dueWork(cancelled(due, false), due + hourMs)).toBeUndefined();
  });
});

function settled(
  subscription: Subscription,
  outcome: SettledOutcome,
  at: { readonly now: number; readonly attempt?: number; readonly retries?: readonly number[] },
) {
  const number = { periodIndex: 1, attempt: at.attempt ?? 1 };
  const by = { outcome, now: at.now, purchaseId: paidId, retries: at.retries ?? defaultRetries };
  return decideSettlement(renewable(subscription), number, by);
}

describe('payments', () => {
  test('a late payment starts its period at the old expiryTime and ends it by the anchor date', () => {
    const settlement = settled(active, 'paid', { now: due + 50 * hourMs, attempt: 5 });
    const end = Date.UTC(2026, 2, 31, 9);
    expect(settlement).toMatchObject({
      kind: 'renewed',
      paidPeriod: { purchaseId: paidId, periodIndex: 1, startTime: due, expiryTime: end },
      changed: { expiryTime: end, nextPaymentTime: end, lastPurchaseId: paidId, lastStartTime: due },
    });
  });

  test('a payment after a cancel starts its period, and no further payment follows', () => {
    const settlement = settled(cancelled(due + 1, true), 'paid', { now: due + 2 });
    expect(settlement).toMatchObject({
      kind: 'renewed',
      changed: { autoRenewing: false, nextPaymentTime: null, terminatedTime: null, cancelReason: '0' },
    });
  });

  test('a period that is paid after a termination does not change the subscription', () => {
    const settlement = settled(voided(due + 1), 'paid', { now: due + 2 });
    expect(settlement).toMatchObject({
      kind: 'paidAfterEnd',
      paidPeriod: { periodIndex: 1, startTime: due },
    });
    expect(settlement).not.toHaveProperty('changed');
  });
});

test('a payment that is written over a minute after the last instant of its charge is voided and expires the subscription', () => {
  const end = Date.UTC(2026, 2, 31, 9);
  const latest = chargeableUntil(active) + minuteMs;
  expect(settled(active, 'paid', { now: latest })).toMatchObject({ kind: 'renewed' });
  const paidPeriod = { periodIndex: 1, startTime: due, expiryTime: end };
  const overdue = {
    kind: 'overdue',
    changed: { autoRenewing: false, cancelledTime: latest + 1, cancelReason: '1' },
  };
  for (const [subscription, expiry] of [
    [active, overdue],
    [cancelled(due + 1, true), { kind: 'expired' }],
    [voided(due + 1), { kind: 'nothing' }],
  ] as const) {
    const settlement = settled(subscription, 'paid', { now: latest + 1 });
    expect(settlement).toMatchObject({ kind: 'paidAfterEnd', paidPeriod, expiry });
  }
});

describe('declines', () => {
  test.each([
    [1, 1],
    [2, 6],
    [3, 24],
    [4, 48],
  ])(
    'a decline of attempt %i is followed by the next attempt %i hours after the payment was due',
    (attempt, hours) => {
      const settlement = settled(active, 'declined', { now: due + 1000, attempt });
      const nextPaymentTime = due + hours * hourMs;
      expect(settlement).toMatchObject({ kind: 'failed', changed: { ...active, nextPaymentTime } });
    },
  );

  test.each([
    ['just before the planned instant is followed by an attempt at that instant', hourMs - 1, hourMs],
    ['at the planned instant is followed by an attempt an hour later', hourMs, 2 * hourMs],
    ['after the planned instant is followed by an attempt an hour later', 100 * hourMs, 101 * hourMs],
  ])('a decline %s', (_title, late, next) => {
    const settlement = settled(active, 'declined', { now: due + late });
    expect(settlement).toMatchObject({ kind: 'failed', changed: { nextPaymentTime: due + next } });
  });

  test.each([
    ['declined', defaultRetries.length + 1],
    ['declinedFinal', 1],
  ] as const)('an answer of %s to attempt %i ends auto-payment with cancelReason 1', (outcome, attempt) => {
    const now = due + 48 * hourMs;
    const end = { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: now };
    const changed = { ...active, ...end };
    expect(settled(active, outcome, { now, attempt })).toMatchObject({ kind: 'failedForGood', changed });
  });

  test.each(['declined', 'declinedFinal'] as const)(
    'an answer of %s after a cancel expires the subscription, and after a termination changes nothing',
    (outcome) => {
      expect(settled(cancelled(due, true), outcome, { now: due })).toEqual({ kind: 'expired' });
      expect(settled(voided(due), outcome, { now: due })).toEqual({ kind: 'nothing' });
    },
  );
});

test('settling an attempt of another period than the next throws', () => {
  const by = { outcome: 'paid', now: due, purchaseId: paidId, retries: defaultRetries } as const;
  expect(() => decideSettlement(renewable(active), { periodIndex: 2, attempt: 1 }, by)).toThrow();
});

test('an open attempt is retried after 1, 2, 4 minutes and so on, at most every hour', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 1000].map((tries) => nextTryTime(tries, due) - due);
  expect(minutes.map((ms) => ms / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('every installation, app, subscription, period and attempt has its own idempotency key', () => {
  const id = identifiers(sizes.purchaseId);
  const number = fc.nat({ max: 2000 });
  const parts = fc.record({
    installation: fc.constantFrom('ab'.repeat(16), 'cd'.repeat(16)),
    packageName: id.map((name) => name as PackageName),
    firstPurchaseId: id.map((name) => name as PurchaseId),
    periodIndex: number,
    attempt: number,
  });
  const names = ['installation', 'packageName', 'firstPurchaseId', 'periodIndex', 'attempt'] as const;
  fc.assert(
    fc.property(parts, parts, fc.constantFrom(...names), (one, drawn, name) => {
      const other = { ...one, [name]: drawn[name] };
      expect(idempotencyKeyOf(one) === idempotencyKeyOf(other)).toBe(
        JSON.stringify(one) === JSON.stringify(other),
      );
    }),
  );
});

test('a period has a charge and its retries at most, each at its time or an hour after the one before, and all by two thirds of the period', () => {
  const delays = fc.array(fc.nat({ max: 72 * hourMs }), { minLength: attemptsMax, maxLength: attemptsMax });
  const schedules = fc
    .uniqueArray(fc.integer({ min: 1, max: 18 * 24 }), { minLength: 1, maxLength: chargeRetriesMax })
    .map((hours) => hours.toSorted((one, other) => one - other).map((hour) => hour * hourMs));
  fc.assert(
    fc.property(delays, schedules, (latenesses, retries) => {
      let subscription = active;
      let attempt = 0;
      while (subscription.nextPaymentTime !== null) {
        const now = subscription.nextPaymentTime + (latenesses[attempt] ?? 0);
        attempt += 1;
        const settlement = settled(subscription, 'declined', { now, attempt, retries });
        if (!('changed' in settlement)) throw new Error(settlement.kind);
        subscription = settlement.changed;
        const planned = due + (retries[attempt - 1] ?? Number.NaN);
        const next = planned > now ? planned : now + hourMs;
        const isLast = Number.isNaN(planned) || next > chargeableUntil(active);
        expect(subscription.nextPaymentTime).toBe(isLast ? null : next);
      }
      expect(attempt).toBeLessThanOrEqual(attemptsMax);
    }),
  );
});
