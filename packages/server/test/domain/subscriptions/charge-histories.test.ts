// Random histories of one subscription, its gateway and the job: when charges begin, and which months they give.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { periodEnd } from '../../../src/domain/subscriptions/calendar-period.ts';
import {
  type ChargeOutcome,
  type ChargeWindow,
  decideDueWork,
  decideExpiry,
  decideSettlement,
  type RenewableSubscription,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import { decideCancel, decideReactivate } from '../../../src/domain/subscriptions/subscription.ts';
import { dayMs } from '../../../src/domain/time.ts';
import { renewableAt } from './started.ts';

const hourMs = 3_600_000;

type Step =
  /** Time passes without a server; with a resume, renewals were paused and are resumed at its end. */
  | { readonly kind: 'wait'; readonly hours: number; readonly endsWithResume: boolean }
  | { readonly kind: 'gateway'; readonly answers: ChargeOutcome; readonly takesMoney: boolean }
  | { readonly kind: 'cancel' | 'reactivate' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      hours: fc.oneof(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 2_000 })),
      endsWithResume: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('gateway' as const),
      answers: fc.constantFrom<ChargeOutcome>('paid', 'declined', 'declined_final', 'pending', 'unknown'),
      takesMoney: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constantFrom('cancel' as const, 'reactivate' as const) }),
);

interface NewestAttempt {
  readonly periodIndex: number;
  readonly attempt: number;
  outcome: SettledOutcome | null;
  wasPending: boolean;
  readonly hasConflict: false;
}

/** One subscription, its gateway and the job, on a clock that only steps move. */
class Life {
  readonly #graceMs: number;
  #subscription: RenewableSubscription;
  #now: number;
  #resumedTime: number | undefined;
  #gateway: { readonly answers: ChargeOutcome; readonly takesMoney: boolean } = {
    answers: 'paid',
    takesMoney: true,
  };
  #newest: NewestAttempt | undefined;
  /** What the gateway has decided, by attempt. */
  readonly #decided = new Map<string, SettledOutcome>();

  constructor(startTime: number, graceDays: number) {
    this.#subscription = renewableAt(startTime);
    this.#now = startTime;
    this.#graceMs = graceDays * dayMs;
  }

  take(taken: Step): void {
    if (taken.kind === 'gateway') this.#gateway = taken;
    else if (taken.kind === 'wait') {
      this.#now += taken.hours * hourMs;
      if (taken.endsWithResume) this.#resumedTime = this.#now;
      while (this.#renew());
    } else {
      const { openChargeTime, isExpired } = this.#subscription;
      const now = this.#now;
      const decision =
        taken.kind === 'cancel'
          ? decideCancel(this.#subscription, { now, reason: '1', chargeIsOpen: openChargeTime !== null })
          : decideReactivate(this.#subscription, { now, isExpired, isErased: false });
      if (decision !== 'refused') this.#change(decision.changed);
    }
  }

  #change(changed: Partial<RenewableSubscription>): void {
    this.#subscription = { ...this.#subscription, ...changed };
  }

  /** Does one item of due work; false if there is none. */
  #renew(): boolean {
    const window = { graceMs: this.#graceMs, resumedTime: this.#resumedTime };
    const work = decideDueWork(this.#subscription, { now: this.#now, newest: this.#newest, window });
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
      this.#newest = { ...work.number, outcome: null, wasPending: false, hasConflict: false };
    if (this.#newest === undefined) throw new Error('A retry without an attempt.');
    if (!this.#newest.wasPending) this.#expectInTime();
    this.#settle(this.#newest, window);
    return true;
  }

  /** Of each request that could be the first of its charge. */
  #expectInTime(): void {
    const { expiryTime, lastPeriodIndex } = this.#subscription;
    expect(this.#now - Math.max(expiryTime, this.#resumedTime ?? 0)).toBeLessThanOrEqual(this.#graceMs);
    const end = periodEnd(this.#subscription, lastPeriodIndex + 1);
    expect(3 * (this.#now - expiryTime)).toBeLessThanOrEqual(2 * (end - expiryTime));
  }

  #answer(key: string): ChargeOutcome {
    const { answers, takesMoney } = this.#gateway;
    const decides = answers === 'unknown' && takesMoney ? 'paid' : answers;
    if (decides !== 'unknown' && decides !== 'pending' && !this.#decided.has(key)) {
      this.#decided.set(key, decides);
    }
    return answers === 'unknown' ? answers : (this.#decided.get(key) ?? answers);
  }

  #settle(newest: NewestAttempt, window: ChargeWindow): void {
    const outcome = this.#answer(`${newest.periodIndex}/${newest.attempt}`);
    if (outcome === 'pending' || outcome === 'unknown') {
      newest.wasPending ||= outcome === 'pending';
      this.#change({ openChargeTime: this.#now + hourMs });
      return;
    }
    newest.outcome = outcome;
    const { expiryTime, isExpired: wasExpired } = this.#subscription;
    const by = { outcome, now: this.#now, purchaseId: 'next' as PurchaseId, window };
    const settlement = decideSettlement(this.#subscription, newest, by);
    if ('month' in settlement) {
      expect(settlement.month.startTime).toBe(expiryTime);
      // A month that was paid after its own end or that of its subscription is never given.
      const isGiven = !wasExpired && this.#now < settlement.month.expiryTime;
      expect(settlement.kind).toBe(isGiven ? 'renewed' : 'paidAfterEnd');
    }
    const change = settlement.kind === 'paidAfterEnd' ? settlement.expiry : settlement;
    if ('changed' in change) this.#change(change.changed);
    const isExpired = wasExpired || ['expired', 'overdue', 'failedForGood'].includes(change.kind);
    this.#change({ openChargeTime: null, isExpired });
  }
}

test('in every history a charge begins within the grace and the first two thirds of its month, and each month starts at the previous expiryTime', () => {
  const histories = fc.record({
    startTime: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) }),
    graceDays: fc.constantFrom(1, 16, 18),
    steps: fc.array(step, { minLength: 3, maxLength: 40, size: 'max' }),
  });
  fc.assert(
    fc.property(histories, ({ startTime, graceDays, steps }) => {
      const life = new Life(startTime, graceDays);
      for (const taken of steps) life.take(taken);
    }),
    { numRuns: 2_000 },
  );
});
