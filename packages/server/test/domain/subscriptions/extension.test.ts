// An extension, or an import of a period that was moved, never takes paid time away.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { startedAt } from '../../../../../test/support/subscriptions/started.ts';
import {
  anchorOfMoved,
  type CalendarAnchor,
  periodEnd,
  periodMsMin,
} from '../../../src/domain/subscriptions/calendar-period.ts';
import { decideExtension } from '../../../src/domain/subscriptions/extension.ts';
import type { RenewableSubscription } from '../../../src/domain/subscriptions/renewal.ts';
import { subscriptionProblems } from '../../../src/domain/subscriptions/subscription-rules.ts';
import { dayMs, hourMs, minuteMs } from '../../../src/domain/time.ts';
import { firstPeriods, periodLengths, periods } from './sold-periods.ts';

/** Every month with a clock change in each zone, and two months of February, lie ahead of an extension of a period. */
const laterPeriods = 30;

const timeZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
const length = fc.oneof(
  fc.constantFrom(minuteMs, 40 * minuteMs, dayMs - minuteMs, dayMs, dayMs + minuteMs, 2 * dayMs + hourMs),
  fc.integer({ min: minuteMs, max: 3 * dayMs }),
  fc.integer({ min: minuteMs, max: 366 * dayMs }),
);
const life = fc.record({
  timeZone,
  period: periods,
  firstPeriod: firstPeriods,
  day: fc.constantFrom(1, 15, 28, 29, 30, 31),
  time: fc.constantFrom('00:01', '02:10', '02:30', '09:00', '23:59'),
  month: fc.constantFrom('2023-10', '2024-01', '2026-03'),
  index: fc.nat(12),
  /** An import of a last period that another store moved by this, back or ahead. */
  moved: fc.option(fc.oneof(length, fc.integer({ min: -20 * dayMs, max: 0 })), { nil: undefined }),
  /** Each is of the newest period, after so many paid ones. */
  extensions: fc.array(fc.record({ length, after: fc.constantFrom(0, 0, 1, 3) }), {
    minLength: 1,
    maxLength: 4,
  }),
});
type Life = typeof life extends fc.Arbitrary<infer Value> ? Value : never;

const inZone = (instant: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);

/** The ends of periods after one that `before` had in another place, or not at all. */
function expectKept(
  { anchor, index, end }: { readonly anchor: CalendarAnchor; readonly index: number; readonly end: number },
  before: CalendarAnchor,
): void {
  let start = end;
  for (let later = index + 1; later <= index + laterPeriods; later += 1) {
    const ends = periodEnd(anchor, later);
    expect(ends).toBeGreaterThanOrEqual(periodEnd(before, later));
    const whole = inZone(start, anchor.timeZone).add(periodLengths[anchor.period]).epochMilliseconds - start;
    expect(ends - start).toBeGreaterThanOrEqual(whole - 3 * dayMs);
    expect(ends - start).toBeGreaterThanOrEqual(periodMsMin(anchor.period));
    // The last day of a month may come back, and a clock may be set back by an hour.
    expect(ends - start).toBeLessThanOrEqual(whole + 3 * dayMs + hourMs);
    start = ends;
  }
}

function subscriptionOf({
  timeZone: zone,
  period,
  firstPeriod,
  day,
  time,
  month,
  index,
  moved,
}: Life): RenewableSubscription {
  const firstStartTime = Temporal.ZonedDateTime.from(
    `${month}-${String(day).padStart(2, '0')}T${time}[${zone}]`,
  ).epochMilliseconds;
  const { subscription } = startedAt(firstStartTime, { timeZone: zone, period, firstPeriod });
  const byCalendar = index === 0 ? subscription.expiryTime : periodEnd(subscription, index);
  const end = byCalendar + (moved ?? 0);
  const newest = { lastPeriodIndex: index, expiryTime: end, nextPaymentTime: end };
  const state = { openChargeTime: null, isExpired: false };
  if (moved === undefined) return { ...subscription, ...newest, ...state };
  const sold = { firstStartTime, timeZone: zone, period, firstPeriod };
  const anchor = { ...sold, ...anchorOfMoved({ ...sold, ...newest }) };
  if (moved >= 0) expectKept({ anchor, index, end }, subscription);
  return { ...subscription, ...newest, ...state, ...anchor };
}

/** The later period after so many payments. */
function paid(subscription: RenewableSubscription, count: number): RenewableSubscription {
  if (count === 0) return subscription;
  const lastPeriodIndex = subscription.lastPeriodIndex + count;
  const expiryTime = periodEnd(subscription, lastPeriodIndex);
  return { ...subscription, lastPeriodIndex, expiryTime, nextPaymentTime: expiryTime };
}

/** An import takes the subscription as it is. */
function expectSoundAnchor(subscription: RenewableSubscription): void {
  const last = { ...subscription, purchaseId: subscription.lastPurchaseId, voidedTime: null };
  const paidPeriods = [
    { ...last, periodIndex: subscription.lastPeriodIndex, startTime: subscription.lastStartTime },
  ];
  const at = { packageName: 'com.example.game', now: subscription.expiryTime - 1 };
  const problems = subscriptionProblems({ subscription, periods: paidPeriods, attempts: [] }, at);
  expect(problems.filter(({ problem }) => problem.startsWith('anchor'))).toEqual([]);
}

function expectNothingLost(given: Life): void {
  let before = subscriptionOf(given);
  for (const extension of given.extensions) {
    before = paid(before, extension.after);
    const now = before.expiryTime - 1;
    const expiryTime = before.expiryTime + extension.length;
    const decision = decideExtension(before, { now, expiryTime });
    if (decision.kind !== 'changed') throw new Error(`The extension was ${decision.kind}.`);
    const after = { ...before, ...decision.changed };
    expect(after.nextPaymentTime).toBe(expiryTime);
    expectKept({ anchor: after, index: after.lastPeriodIndex, end: expiryTime }, before);
    expectSoundAnchor(after);
    before = after;
  }
}

/** What periods counted from the new end would lose. */
const losses: readonly Life[] = [
  // 28 February instead of 31 March.
  { month: '2026-03', day: 31, index: 10, extension: minuteMs, time: '09:00', timeZone: 'UTC' },
  // 31 March at 0:01 is 30 April at 0:01, and not at 23:59.
  { month: '2023-10', day: 30, index: 4, extension: dayMs - hourMs, time: '23:59', timeZone: 'UTC' },
  // 3:10 instead of 2:30, which a clock change moves to 3:30.
  { month: '2023-10', day: 31, index: 2, extension: 40 * minuteMs, time: '02:30', timeZone: 'Europe/Berlin' },
].map(({ extension, ...one }) => ({
  ...(one as Omit<Life, 'period' | 'firstPeriod' | 'moved' | 'extensions'>),
  period: 'P1M',
  firstPeriod: null,
  moved: undefined,
  extensions: [{ length: extension, after: 0 }],
}));

/** Six days, and an hour less by the change of the clocks. */
const shortWeek: Life = {
  ...{ month: '2026-03', day: 15, index: 0, time: '09:00', timeZone: 'Europe/Berlin', period: 'P1W' },
  ...{ firstPeriod: null, moved: undefined },
  extensions: [{ length: dayMs - minuteMs, after: 0 }],
};

test('after an extension or an import of a moved period, no later period ends before it would have ended, and none is short or long', () => {
  fc.assert(fc.property(life, expectNothingLost), {
    numRuns: Number(process.env['EXTENSIONS'] ?? 300),
    examples: [...losses, shortWeek].map((one) => [one]),
  });
});
