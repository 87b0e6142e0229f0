// When a charge may begin and is tried again: in the first two thirds of its period, by the schedule, and for 18 days.

import { chargeRetriesMax } from '@opentill/contract/limits.ts';
import { describe, expect, test } from 'vitest';
import { changed, defaultRetries, renewableAt } from '../../../../../test/support/subscriptions/started.ts';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import { decideCancel } from '../../../src/domain/subscriptions/auto-payment.ts';
import { parseChargeRetries } from '../../../src/domain/subscriptions/charge-times.ts';
import {
  decideDueWork,
  decideExpiry,
  decideSettlement,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import { dayMs } from '../../../src/domain/time.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31, 9);
const due = Date.UTC(2026, 1, 28, 9);
const secondDue = Date.UTC(2026, 2, 31, 9);

/** Two thirds of the period. */
const until = due + Math.floor((2 * (secondDue - due)) / 3);

const active = renewableAt(start);
const open = { ...active, openChargeTime: due };

const cancelled = { ...open, ...changed(decideCancel(open, { now: due, reason: '0', chargeIsOpen: true })) };

const attempt = (wasPending: boolean, begunTime = due) => ({
  periodIndex: 1,
  attempt: 1,
  outcome: null,
  wasPending,
  begunTime,
});

const dueWork = (subscription: typeof active, now: number, newest?: ReturnType<typeof attempt>) =>
  decideDueWork(subscription, { now, newest });

describe('the setting', () => {
  const twelve = Array.from({ length: chargeRetriesMax }, (_, index) => `${index + 1}h`);

  test.each([
    ['1h,6h,1d,2d', [1, 6, 24, 48]],
    ['18d', [432]],
    [' 24h , 25h', [24, 25]],
    [twelve.join(), twelve.map((_, index) => index + 1)],
  ])('%s is a schedule', (text, hours) => {
    expect(parseChargeRetries(text)).toEqual(hours.map((hour) => hour * hourMs));
  });

  test.each([
    '',
    '0h',
    '1h,1h',
    '2d,1d',
    '1h,,2h',
    '1.5h',
    '30m',
    '1',
    '19d',
    '433h',
    [...twelve, '13h'].join(),
  ])('"%s" is none', (text) => expect(parseChargeRetries(text)).toBeUndefined());
});

describe('new attempts', () => {
  test('a charge begins within two thirds of its period, and later the subscription expires', () => {
    expect(dueWork(active, until)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(active, until + 1)).toEqual({ kind: 'expiry' });
    expect(decideExpiry(active, until + 1)).toMatchObject({
      kind: 'overdue',
      changed: { autoRenewing: false, nextPaymentTime: null, cancelReason: '1', cancelledTime: until + 1 },
    });
  });

  test.each([
    ['P1W', 94],
    ['P1M', 430],
    ['P3M', 1_406],
    ['P6M', 60 * 24],
    ['P1Y', 60 * 24],
  ] as const)('a period of %s in an unknown time zone is charged in its first %d hours', (period, hours) => {
    const elsewhere = { ...active, period, timeZone: 'Mars/Olympus_Mons' };
    const last = due + hours * hourMs;
    expect(dueWork(elsewhere, last)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(elsewhere, last + hourMs)).toEqual({ kind: 'expiry' });
  });

  test.each([
    ['P1W', (14 * dayMs) / 3],
    ['P3M', (178 * dayMs) / 3],
    ['P6M', 60 * dayMs],
    ['P1Y', 60 * dayMs],
  ] as const)('a charge of %s begins within two thirds of its period, and within 60 days', (period, ms) => {
    // From 28 February, three periods have 89 days.
    const long = {
      ...renewableAt(Date.UTC(2026, 1, 21, 9)),
      period,
      anchorTime: due,
      anchorIndex: 0,
      expiryTime: due,
    };
    const payable = { ...long, nextPaymentTime: due };
    const last = due + Math.floor(ms);
    expect(dueWork(payable, last)).toMatchObject({ kind: 'attempt' });
    expect(dueWork(payable, last + 1)).toEqual({ kind: 'expiry' });
  });

  test('entries of the schedule after two thirds of a week are left out', () => {
    const weekly = { ...active, period: 'P1W', anchorTime: due, anchorIndex: 0 } as const;
    const retries = [dayMs, 4 * dayMs, 5 * dayMs];
    const declined = (attempt: number, now: number) =>
      decideSettlement(
        weekly,
        { periodIndex: 1, attempt },
        { outcome: 'declined', purchaseId: 'p' as PurchaseId, now, retries },
      );
    expect(declined(2, due + dayMs)).toMatchObject({ changed: { nextPaymentTime: due + 4 * dayMs } });
    expect(declined(3, due + 4 * dayMs)).toMatchObject({ kind: 'failedForGood' });
  });

  const kindOf = (now: number, retries: readonly number[], number = 2) =>
    decideSettlement(
      active,
      { periodIndex: 1, attempt: number },
      { outcome: 'declined', purchaseId: 'p' as PurchaseId, now, retries },
    ).kind;

  test('a decline whose retry would be due after two thirds of the period is the last', () => {
    expect(kindOf(until - hourMs, defaultRetries)).toBe('failed');
    expect(kindOf(until - hourMs + 1, defaultRetries)).toBe('failedForGood');
    // The last third of a period from 31 January to 28 February begins after 18 days.
    const short = { ...active, expiryTime: start, lastPeriodIndex: -1 };
    const last = { periodIndex: 0, attempt: 1 };
    const by = { outcome: 'declined', purchaseId: 'p' as PurchaseId, now: start } as const;
    const longest = decideSettlement(short, last, { ...by, retries: [18 * dayMs] });
    expect(longest).toMatchObject({ kind: 'failed', changed: { nextPaymentTime: start + 18 * dayMs } });
  });

  test('an attempt that a shorter schedule does not have is made, and is the last', () => {
    const newest = { ...attempt(false), attempt: 3, outcome: 'declined' } as const;
    const number = { periodIndex: 1, attempt: 4 };
    const planned = { ...active, nextPaymentTime: due + dayMs };
    expect(decideDueWork(planned, { now: due + dayMs, newest })).toEqual({ kind: 'attempt', number });
    expect(kindOf(due + dayMs, [hourMs], 4)).toBe('failedForGood');
  });
});

describe('open attempts', () => {
  test('two thirds into its period an attempt of unknown outcome is not retried any more', () => {
    const newest = attempt(false, due + 10 * dayMs);
    expect(dueWork(open, until, newest)).toEqual({ kind: 'retry' });
    expect(dueWork(open, until + 1, newest)).toEqual({ kind: 'unresolved' });
  });

  test('18 days after its first request an attempt of unknown outcome is not retried any more', () => {
    const last = due + 18 * dayMs;
    expect(dueWork(open, last, attempt(false))).toEqual({ kind: 'retry' });
    expect(dueWork(open, last + 1, attempt(false))).toEqual({ kind: 'unresolved' });
    expect(dueWork(open, last + 1, attempt(true))).toEqual({ kind: 'retry' });
  });

  test('after auto-payment ended an attempt of unknown outcome is retried for ten minutes', () => {
    const last = due + 10 * 60_000;
    for (const subscription of [cancelled, { ...open, terminatedTime: due }]) {
      expect(dueWork(subscription, last, attempt(false))).toEqual({ kind: 'retry' });
      expect(dueWork(subscription, last + 1, attempt(false))).toEqual({ kind: 'unresolved' });
      expect(dueWork(subscription, last + 1, attempt(true))).toEqual({ kind: 'retry' });
    }
  });

  test('two thirds into its period the subscription of a pending attempt expires, and the attempt is polled on', () => {
    expect(dueWork(open, until + 1, attempt(true))).toEqual({ kind: 'expiry' });
    expect(dueWork({ ...open, isExpired: true }, until + 1, attempt(true))).toEqual({ kind: 'retry' });
  });

  test('a period that is paid after the expiry does not continue the subscription, and a decline then changes nothing', () => {
    const expiry = decideExpiry(open, until + 1);
    if (!('changed' in expiry)) throw new Error(expiry.kind);
    const expired = { ...open, ...expiry.changed, isExpired: true };
    const answered = (outcome: SettledOutcome) =>
      decideSettlement(expired, attempt(true), {
        outcome,
        now: due + 74 * dayMs,
        purchaseId: 'late' as PurchaseId,
        retries: defaultRetries,
      });
    expect(answered('paid')).toMatchObject({ kind: 'paidAfterEnd', paidPeriod: { startTime: due } });
    expect(answered('declined')).toEqual({ kind: 'nothing' });
  });
});
