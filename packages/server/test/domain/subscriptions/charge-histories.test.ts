// Random histories of one subscription, its gateway and the job: when charges begin, and which periods they give.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultRetries, renewableAt, startedAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { decideCancel, decideReactivate } from '../../../src/domain/subscriptions/auto-payment.ts';
import { periodEnd } from '../../../src/domain/subscriptions/calendar-period.ts';
import type { ChargeRetries } from '../../../src/domain/subscriptions/charge-times.ts';
import {
  type ChargeOutcome,
  decideDueWork,
  decideExpiry,
  decideSettlement,
  type RenewableSubscription,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import { dayMs } from '../../../src/domain/time.ts';
import { firstPeriods, periods } from './sold-periods.ts';

const hourMs = 3_600_000;

type Step =
  /** Time passes without a server, or while renewals are paused. */
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'schedule'; readonly retries: ChargeRetries }
  | { readonly kind: 'gateway'; readonly answers: ChargeOutcome; readonly takesMoney: boolean }
  | { readonly kind: 'cancel' | 'reactivate' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      hours: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 2_000 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('gateway' as const),
      answers: fc.constantFrom<ChargeOutcome>('paid', 'declined', 'declinedFinal', 'pending', 'unknown'),
      takesMoney: fc.boolean(),
    }),
  },
  fc.record({
    kind: fc.constant('schedule' as const),
    retries: fc.constantFrom<ChargeRetries>(
      defaultRetries,
      [hourMs],
      [dayMs, 9 * dayMs, 17 * dayMs, 18 * dayMs],
    ),
  }),
  fc.record({ kind: fc.constantFrom('cancel' as const, 'reactivate' as const) }),
);

interface NewestAttempt {
  readonly periodIndex: number;
  readonly attempt: number;
  outcome: SettledOutcome | null;
  wasPending: boolean;
  readonly begunTime: number;
}

/** One subscription, its gateway and the job, on a clock that only steps move. */
class Life {
  #subscription: RenewableSubscription;
  #now: number;
  #gateway: { readonly answers: ChargeOutcome; readonly takesMoney: boolean } = {
    answers: 'paid',
    takesMoney: true,
  };
  #newest: NewestAttempt | undefined;
  /** What the gateway has decided, by attempt. */
  readonly #decided = new Map<string, SettledOutcome>();

  #retries: ChargeRetries = defaultRetries;

  constructor(startTime: number, sold: Partial<Parameters<typeof startedAt>[1]>) {
    this.#subscription = { ...renewableAt(startTime), ...startedAt(startTime, sold).subscription };
    this.#now = startTime;
  }

  take(taken: Step): void {
    if (taken.kind === 'gateway') this.#gateway = taken;
    else if (taken.kind === 'schedule') this.#retries = taken.retries;
    else if (taken.kind === 'wait') {
      this.#now += taken.hours * hourMs;
      while (this.#renew());
    } else {
      const { openChargeTime, isExpired } = this.#subscription;
      const now = this.#now;
      const decision =
        taken.kind === 'cancel'
          ? decideCancel(this.#subscription, { now, reason: '1', chargeIsOpen: openChargeTime !== null })
          : decideReactivate(this.#subscription, { now, isExpired, isErased: false, by: 'app' });
      if (decision !== 'refused') this.#change(decision.changed);
    }
  }

  #change(changed: Partial<RenewableSubscription>): void {
    this.#subscription = { ...this.#subscription, ...changed };
  }

  /** Does one item of due work; false if there is none. */
  #renew(): boolean {
    const work = decideDueWork(this.#subscription, { now: this.#now, newest: this.#newest });
    if (work === undefined) return false;
    if (work.kind === 'expiry' || work.kind === 'unresolved') {
      const expiry = decideExpiry(this.#subscription, this.#now);
      if ('changed' in expiry) this.#change(expiry.changed);
      const isExpired = expiry.kind !== 'nothing' || this.#subscription.isExpired;
      this.#change({ isExpired });
      if (work.kind === 'unresolved') this.#change({ openChargeTime: null });
      return true;
    }
    if (work.kind === 'attempt')
      this.#newest = {
        ...work.number,
        outcome: null,
        wasPending: false,
        begunTime: this.#now,
      };
    if (this.#newest === undefined) throw new Error('A retry without an attempt.');
    if (!this.#newest.wasPending) this.#expectInTime();
    this.#settle(this.#newest);
    return true;
  }

  /** Checks each request that could be the first of its charge. */
  #expectInTime(): void {
    const { expiryTime, lastPeriodIndex } = this.#subscription;
    expect(this.#now - (this.#newest?.begunTime ?? 0)).toBeLessThanOrEqual(18 * dayMs);
    const end = periodEnd(this.#subscription, lastPeriodIndex + 1);
    expect(3 * (this.#now - expiryTime)).toBeLessThanOrEqual(2 * (end - expiryTime));
    expect(this.#now - expiryTime).toBeLessThanOrEqual(60 * dayMs);
  }

  #answer(key: string): ChargeOutcome {
    const { answers, takesMoney } = this.#gateway;
    const decides = answers === 'unknown' && takesMoney ? 'paid' : answers;
    if (decides !== 'unknown' && decides !== 'pending' && !this.#decided.has(key)) {
      this.#decided.set(key, decides);
    }
    return answers === 'unknown' ? answers : (this.#decided.get(key) ?? answers);
  }

  #settle(newest: NewestAttempt): void {
    const outcome = this.#answer(`${newest.periodIndex}/${newest.attempt}`);
    if (outcome === 'pending' || outcome === 'unknown') {
      newest.wasPending ||= outcome === 'pending';
      this.#change({ openChargeTime: this.#now + hourMs });
      return;
    }
    newest.outcome = outcome;
    const { expiryTime, isExpired: wasExpired } = this.#subscription;
    const by = { outcome, now: this.#now, purchaseId: 'next' as PurchaseId, retries: this.#retries };
    const settlement = decideSettlement(this.#subscription, newest, by);
    if ('paidPeriod' in settlement) {
      expect(settlement.paidPeriod.startTime).toBe(expiryTime);
      // A period that was paid after its own end or that of its subscription is never given.
      const isGiven = !wasExpired && this.#now < settlement.paidPeriod.expiryTime;
      expect(settlement.kind).toBe(isGiven ? 'renewed' : 'paidAfterEnd');
    }
    const change = settlement.kind === 'paidAfterEnd' ? settlement.expiry : settlement;
    if ('changed' in change) this.#change(change.changed);
    const isExpired = wasExpired || ['expired', 'overdue', 'failedForGood'].includes(change.kind);
    this.#change({ openChargeTime: null, isExpired });
  }
}

test('in every history a charge begins within the first two thirds and the first 60 days of its period and is sent for 18 days at most, and each period starts at the previous expiryTime', () => {
  const histories = fc.record({
    startTime: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) }),
    sold: fc.record({ period: periods, firstPeriod: firstPeriods }),
    steps: fc.array(step, { minLength: 3, maxLength: 40, size: 'max' }),
  });
  fc.assert(
    fc.property(histories, ({ startTime, sold, steps }) => {
      const life = new Life(startTime, sold);
      for (const taken of steps) life.take(taken);
    }),
    { numRuns: 2_000 },
  );
});
