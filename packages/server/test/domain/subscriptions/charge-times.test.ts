// When a charge may begin: within the grace, and in the first two thirds of its month.

import { describe, expect, test } from 'vitest';
import type { PurchaseId } from '../../../src/domain/identifiers.ts';
import {
  type ChargeWindow,
  decideDueWork,
  decideExpiry,
  decideSettlement,
  type SettledOutcome,
} from '../../../src/domain/subscriptions/renewal.ts';
import { decideCancel } from '../../../src/domain/subscriptions/subscription.ts';
import { dayMs } from '../../../src/domain/time.ts';
import { changed, renewableAt } from './started.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31, 9);
const due = Date.UTC(2026, 1, 28, 9);
const secondDue = Date.UTC(2026, 2, 31, 9);
const graceMs = 16 * dayMs;
const until = due + graceMs;
const window: ChargeWindow = { graceMs, resumedTime: undefined };

const active = renewableAt(start);
const open = { ...active, openChargeTime: due };

const cancelled = { ...open, ...changed(decideCancel(open, { now: due, reason: '0', chargeIsOpen: true })) };

const attempt = (wasPending: boolean) => ({
  periodIndex: 1,
  attempt: 1,
  outcome: null,
  wasPending,
  hasConflict: false,
});

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
    for (const subscription of [cancelled, { ...open, terminatedTime: due }]) {
      expect(decideDueWork(subscription, { now: last, ...at })).toEqual({ kind: 'retry' });
      expect(decideDueWork(subscription, { now: last + 1, ...at })).toEqual({ kind: 'unresolved' });
      const polled = { now: last + 1, newest: attempt(true), window };
      expect(decideDueWork(subscription, polled)).toEqual({ kind: 'retry' });
    }
  });

  test('a conflict of the subscription holds new attempts and retries of unknown outcome until the grace is over', () => {
    const inConflict = { ...attempt(false), hasConflict: true };
    const settled = { ...inConflict, outcome: 'declined' } as const;
    const kindAt = (now: number) => [
      decideDueWork(active, { now, newest: settled, window })?.kind,
      decideDueWork(open, { now, newest: inConflict, window })?.kind,
    ];
    expect([kindAt(until), kindAt(until + 1)]).toEqual([
      ['held', 'held'],
      ['expiry', 'unresolved'],
    ]);
    const polled = { now: until, newest: { ...inConflict, wasPending: true }, window };
    expect(decideDueWork(open, polled)).toEqual({ kind: 'retry' });
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
