// When a charge may begin: within the grace, and in the first two thirds of its month.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProductId, PurchaseId } from '../../../src/domain/identifiers.ts';
import { periodEnd } from '../../../src/domain/subscriptions/calendar-period.ts';
import {
  type ChargeOutcome,
  type ChargeWindow,
  dayMs,
  decideDueWork,
  decideExpiry,
  decideSettlement,
  type RenewableSubscription,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import {
  decideCancel,
  decideReactivate,
  startSubscription,
} from '../../../src/domain/subscriptions/subscription.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31, 9);
const due = Date.UTC(2026, 1, 28, 9);
const secondDue = Date.UTC(2026, 2, 31, 9);
const graceMs = 16 * dayMs;
const until = due + graceMs;
const window: ChargeWindow = { graceMs, resumedTime: undefined };

function begun(startTime: number): RenewableSubscription {
  const { subscription } = startSubscription({
    purchaseId: 'first' as PurchaseId,
    productId: 'gold' as ProductId,
    startTime,
    timeZone: 'UTC',
    price: 499,
    currency: 'EUR',
    developerPayload: '',
  });
  return { ...subscription, openChargeTime: null, isExpired: false };
}

const active = begun(start);
const open = { ...active, openChargeTime: due };

function cancelled(subscription: RenewableSubscription): RenewableSubscription {
  const decision = decideCancel(subscription, { now: due, reason: '0', chargeIsOpen: true });
  if (decision === 'refused') throw new Error('The cancel was refused.');
  return { ...subscription, ...decision.changed };
}

const attempt = (wasPending: boolean) => ({ periodIndex: 1, attempt: 1, outcome: null, wasPending });

const dueWork = (now: number, resumedTime?: number) =>
  decideDueWork(active, { now, newest: undefined, window: { graceMs, resumedTime } });

describe('new attempts', () => {
  test('a charge begins within the grace after its due time, and later the subscription expires', () => {
    expect(dueWork(until)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(until + 1)).toEqual({ kind: 'expiry' });
    expect(decideExpiry(active, until + 1)).toMatchObject({
      kind: 'overdue',
      changed: { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: until + 1 },
    });
  });

  test('lateness counts from the last resume if that is later than the due time', () => {
    const resumedTime = due + 2 * dayMs;
    expect(dueWork(resumedTime + graceMs, resumedTime)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(resumedTime + graceMs + 1, resumedTime)).toEqual({ kind: 'expiry' });
    expect(dueWork(until + 1, due - 1)).toEqual({ kind: 'expiry' });
  });

  test('no charge begins after two thirds of its month, however recent the resume', () => {
    const last = due + Math.floor((2 * (secondDue - due)) / 3);
    const resumedTime = last - hourMs;
    expect(dueWork(last, resumedTime)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(last + 1, resumedTime)).toEqual({ kind: 'expiry' });
    const at = { newest: attempt(false), window: { graceMs, resumedTime } };
    expect(decideDueWork(open, { now: last, ...at })).toEqual({ kind: 'retry' });
    expect(decideDueWork(open, { now: last + 1, ...at })).toEqual({ kind: 'unresolved' });
  });

  test('a month in an unknown time zone is charged in its first 18 days', () => {
    const elsewhere = { ...active, timeZone: 'Mars/Olympus_Mons' };
    const last = due + 18 * dayMs;
    const at = { newest: undefined, window: { graceMs, resumedTime: last } };
    expect(decideDueWork(elsewhere, { now: last, ...at })).toMatchObject({ kind: 'attempt' });
    expect(decideDueWork(elsewhere, { now: last + 1, ...at })).toEqual({ kind: 'expiry' });
  });

  test('a decline whose retry would be due after the last instant of a charge is the last', () => {
    const by = { outcome: 'declined', purchaseId: 'p' as PurchaseId } as const;
    const second = { periodIndex: 1, attempt: 2 };
    const kindWithGrace = (grace: number) => {
      const short = { graceMs: grace, resumedTime: undefined };
      return decideSettlement(active, second, { ...by, now: due + hourMs, window: short }).kind;
    };
    expect([kindWithGrace(6 * hourMs), kindWithGrace(6 * hourMs - 1)]).toEqual(['failed', 'failedForGood']);
    const last = due + Math.floor((2 * (secondDue - due)) / 3);
    const kindAt = (now: number) =>
      decideSettlement(active, second, { ...by, now, window: { graceMs, resumedTime: now } }).kind;
    expect([kindAt(last - hourMs), kindAt(last - hourMs + 1)]).toEqual(['failed', 'failedForGood']);
  });
});

describe('open attempts', () => {
  test('past the grace an attempt of unknown outcome is never retried', () => {
    const newest = attempt(false);
    expect(decideDueWork(open, { now: until, newest, window })).toEqual({ kind: 'retry' });
    expect(decideDueWork(open, { now: until + 1, newest, window })).toEqual({ kind: 'unresolved' });
  });

  test('after auto-payment ended an attempt of unknown outcome is retried for ten minutes, whatever a resume allows', () => {
    const last = due + 10 * 60_000;
    const at = { newest: attempt(false), window: { graceMs, resumedTime: last } };
    for (const subscription of [cancelled(open), { ...open, terminatedTime: due }]) {
      expect(decideDueWork(subscription, { now: last, ...at })).toEqual({ kind: 'retry' });
      expect(decideDueWork(subscription, { now: last + 1, ...at })).toEqual({ kind: 'unresolved' });
      const polled = { now: last + 1, newest: attempt(true), window };
      expect(decideDueWork(subscription, polled)).toEqual({ kind: 'retry' });
    }
  });

  test('past the grace the subscription of a pending attempt expires, and the attempt is polled on', () => {
    const at = { now: until + 1, newest: attempt(true), window };
    expect(decideDueWork(open, at)).toEqual({ kind: 'expiry' });
    expect(decideDueWork({ ...open, isExpired: true }, at)).toEqual({ kind: 'retry' });
  });

  test('a month that is paid after the expiry does not continue the subscription, and a decline then changes nothing', () => {
    const expiry = decideExpiry(open, until + 1);
    if (!('changed' in expiry)) throw new Error(expiry.kind);
    const expired = { ...open, ...expiry.changed, isExpired: true };
    const answered = (outcome: SettledOutcome) =>
      decideSettlement(expired, attempt(true), {
        outcome,
        now: due + 74 * dayMs,
        purchaseId: 'late' as PurchaseId,
        window,
      });
    expect(answered('paid')).toMatchObject({ kind: 'paidAfterEnd', month: { startTime: due } });
    expect(answered('declined')).toEqual({ kind: 'nothing' });
  });
});

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
    this.#subscription = begun(startTime);
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
    if (work.kind === 'attempt') this.#newest = { ...work.number, outcome: null, wasPending: false };
    if (this.#newest === undefined) throw new Error('A retry without an attempt.');
    if (!this.#newest.wasPending) this.#expectInTime();
    this.#settle(this.#newest, window);
    return true;
  }

  /** Of each request that could be the first of its charge. */
  #expectInTime(): void {
    const { expiryTime, firstStart, lastPeriodIndex } = this.#subscription;
    expect(this.#now - Math.max(expiryTime, this.#resumedTime ?? 0)).toBeLessThanOrEqual(this.#graceMs);
    const end = periodEnd({ firstStart, index: lastPeriodIndex + 1, timeZone: 'UTC' });
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
