import type { Period } from '@opentill/contract/periods.ts';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/implementation';
import { describe, expect, test } from 'vitest';
import {
  anchorOfMoved,
  periodEnd as endByAnchor,
  firstCalendar,
  isTimeZone,
  nearestPeriod,
} from '../../../src/domain/subscriptions/calendar-period.ts';
import { daysInMonth, onTheWall } from '../../wall-clock.ts';
import { firstPeriods, periodLengths, periods } from './sold-periods.ts';

const zones = ['UTC', 'Asia/Seoul', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', '+05:45'];
const timeZones = fc.constantFrom(...zones);
const firstStarts = fc.integer({ min: Date.UTC(2001, 8, 10), max: Date.UTC(2099, 11, 31) });
const indexes = fc.integer({ min: 0, max: 240 });

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** The end of a period of a subscription that was never extended. */
const periodEnd = (firstStartTime: number, index: number, timeZone: string, period: Period = 'P1M') =>
  endByAnchor({ anchorTime: firstStartTime, anchorIndex: -1, period, timeZone }, index);

/** The number of a day in the calendar of a zone. */
const dayNumber = ({ months, day }: ReturnType<typeof onTheWall>) =>
  Date.UTC(Math.floor(months / 12), months % 12, day) / 86_400_000;

describe('period ends', () => {
  test('a period ends on the day of the first start, or on the last day of a shorter month, and weeks on the same weekday', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, periods, (firstStartTime, index, timeZone, period) => {
        const anchor = onTheWall(firstStartTime, timeZone);
        const end = onTheWall(periodEnd(firstStartTime, index, timeZone, period), timeZone);
        const length = periodLengths[period];
        if ('weeks' in length) {
          expect(dayNumber(end) - dayNumber(anchor)).toBe(7 * (index + 1));
          return;
        }
        const months = anchor.months + length.months * (index + 1);
        expect(end.months).toBe(months);
        expect(end.day).toBe(Math.min(anchor.day, daysInMonth(months)));
      }),
      { numRuns: 1000 },
    );
  });

  test('a period ends at the time of day of the first start, later only by what a clock change skipped', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, periods, (firstStartTime, index, timeZone, period) => {
        const end = periodEnd(firstStartTime, index, timeZone, period);
        const late = onTheWall(end, timeZone).time - onTheWall(firstStartTime, timeZone).time;
        const clockChange = late === 0 ? 0 : timeZone === 'Australia/Lord_Howe' ? 1800 : 3600;
        expect(late).toBe(clockChange);
        expect(end % 1000).toBe(firstStartTime % 1000);
      }),
      { numRuns: 1000 },
    );
  });

  test('a period ends at the same instant with the Temporal of Node.js and with the polyfill', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, periods, (firstStartTime, index, timeZone, period) => {
        const start = Temporal.Instant.fromEpochMilliseconds(firstStartTime).toZonedDateTimeISO(timeZone);
        const whole = Temporal.Duration.from(period);
        const { epochMilliseconds } = start.add({
          years: whole.years * (index + 1),
          months: whole.months * (index + 1),
          weeks: whole.weeks * (index + 1),
        });
        expect(periodEnd(firstStartTime, index, timeZone, period)).toBe(epochMilliseconds);
      }),
    );
  });

  test('the periods up to the end of one are counted, even if another calendar ended it days apart', () => {
    const soldPeriods = fc.tuple(firstStarts, indexes, timeZones, periods);
    const daysApart = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(soldPeriods, daysApart, ([firstStartTime, index, timeZone, period], days) => {
        const end = periodEnd(firstStartTime, index, timeZone, period) + days * 86_400_000;
        const anchor = { anchorTime: firstStartTime, anchorIndex: -1, period, timeZone };
        expect(nearestPeriod(anchor, end)).toBe(index);
      }),
    );
  });

  test('a period that ended early in a short month does not shift the following ones', () => {
    const firstStartTime = at('2026-01-31');
    const ends = [0, 1, 2, 3].map((index) => periodEnd(firstStartTime, index, 'UTC'));
    expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'].map(at));
    const years = [0, 1, 2, 3].map((index) => periodEnd(at('2024-02-29'), index, 'UTC', 'P1Y'));
    expect(years).toEqual(['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29'].map(at));
  });

  test('a week over a change of the clocks ends at the same time of day', () => {
    const firstStartTime = Date.parse('2026-03-26T09:00:00+01:00');
    const ends = [0, 1].map((index) => periodEnd(firstStartTime, index, 'Europe/Berlin', 'P1W'));
    expect(ends).toEqual(['2026-04-02T09:00:00+02:00', '2026-04-09T09:00:00+02:00'].map(Date.parse));
  });

  test('the periods after a moved end are counted from it', () => {
    const anchor = { anchorTime: at('2026-05-31'), anchorIndex: 2, period: 'P1M', timeZone: 'UTC' } as const;
    const ends = [3, 4, 5].map((index) => endByAnchor(anchor, index));
    expect(ends).toEqual(['2026-06-30', '2026-07-31', '2026-08-31'].map(at));
  });

  test('an index that is not a whole number from that of the anchor on throws', () => {
    for (const anchorIndex of [-1, 7]) {
      const anchor = { anchorTime: 0, anchorIndex, period: 'P1M', timeZone: 'UTC' } as const;
      for (const index of [anchorIndex - 1, anchorIndex + 0.5, Number.NaN]) {
        expect(() => endByAnchor(anchor, index)).toThrow(RangeError);
      }
    }
  });
});

describe('a first period of its own', () => {
  /** The end of the first period and of the next ones. */
  const endsOf = (sold: Parameters<typeof firstCalendar>[0], count: number) => {
    const { anchor, expiryTime } = firstCalendar(sold);
    const later = Array.from({ length: count }, (_, index) => endByAnchor({ ...sold, ...anchor }, index + 1));
    return [expiryTime, ...later];
  };

  test.each([
    ['P7D', '2026-01-24', ['2026-01-31', '2026-02-28', '2026-03-31']],
    ['P2M', '2026-01-31', ['2026-03-31', '2026-04-30', '2026-05-31']],
    ['P1M', '2026-01-31', ['2026-02-28', '2026-03-31', '2026-04-30']],
    ['P35D', '2026-01-10', ['2026-02-14', '2026-03-14', '2026-04-14']],
  ])('of %s from %s moves the periods after it, and none of them is short', (firstPeriod, start, ends) => {
    const sold = { firstStartTime: at(start), timeZone: 'UTC', period: 'P1M', firstPeriod } as const;
    expect(endsOf(sold, 2)).toEqual(ends.map(at));
  });

  test('ends by the calendar, and each later period is a whole one', () => {
    fc.assert(
      fc.property(
        firstStarts,
        timeZones,
        periods,
        firstPeriods,
        (firstStartTime, timeZone, period, firstPeriod) => {
          const ends = endsOf({ firstStartTime, timeZone, period, firstPeriod }, 12);
          const zoned = (instant = 0) =>
            Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
          expect(ends[0]).toBe(zoned(firstStartTime).add(firstPeriod ?? period).epochMilliseconds);
          for (const [index, end] of ends.slice(1).entries()) {
            const whole = zoned(ends[index]).add(period).epochMilliseconds;
            // A short month, and a clock change that skips an hour of one of the ends.
            expect(end - whole).toBeGreaterThanOrEqual(-3_600_000);
            expect(end - whole).toBeLessThanOrEqual(3 * 86_400_000 + 3_600_000);
          }
        },
      ),
    );
  });

  test('stays known to an import, which counts the periods after a trial from its end', () => {
    const sold = {
      firstStartTime: at('2026-01-24'),
      timeZone: 'UTC',
      period: 'P1M',
      firstPeriod: 'P7D',
    } as const;
    const moved = { ...sold, lastPeriodIndex: 1, expiryTime: at('2026-02-28') };
    expect(anchorOfMoved(moved)).toEqual({ anchorTime: at('2026-01-31'), anchorIndex: 0 });
  });
});

describe('the anchor of a subscription from another store', () => {
  const moved = {
    firstStartTime: at('2026-01-31'),
    timeZone: 'UTC',
    period: 'P1M',
    lastPeriodIndex: 1,
  } as const;
  const first = { anchorTime: moved.firstStartTime, anchorIndex: -1 };

  test('is its first start if its last period ends where the calendar says, or was voided before', () => {
    const ended = { expiryTime: at('2026-03-10'), terminatedTime: at('2026-03-10') };
    expect(anchorOfMoved({ ...moved, expiryTime: at('2026-03-31') })).toEqual(first);
    expect(anchorOfMoved({ ...moved, ...ended })).toEqual(first);
  });

  test('is the end of its last period if that lies elsewhere, so that the next period is a whole one', () => {
    const expiryTime = at('2026-04-30');
    const anchor = anchorOfMoved({ ...moved, expiryTime });
    expect(anchor).toEqual({ anchorTime: expiryTime, anchorIndex: 1 });
    expect(endByAnchor({ ...anchor, period: 'P1M', timeZone: 'UTC' }, 2)).toBe(at('2026-05-30'));
  });
});

describe('time zones', () => {
  test.each([...zones, 'asia/seoul', 'Etc/GMT-9', 'Asia/Calcutta', '-03:00'])('%s is a time zone', (text) => {
    expect(isTimeZone(text)).toBe(true);
  });

  test.each(['', 'Seoul', 'Asia/Nowhere', ' UTC', 'UTC\n', 'Z', '2026-01-01T00:00[Asia/Seoul]', '+25:00'])(
    '%j is not a time zone',
    (text) => {
      expect(isTimeZone(text)).toBe(false);
    },
  );
});

test('each end is that of Temporal, also next to clock changes and in zones that skipped a day', () => {
  const changing = [
    'Pacific/Apia',
    'Africa/Cairo',
    'America/Caracas',
    'Europe/Istanbul',
    'Africa/Casablanca',
  ];
  const days = {
    P1W: { weeks: 1 },
    P1M: { months: 1 },
    P3M: { months: 3 },
    P6M: { months: 6 },
    P1Y: { years: 1 },
  };
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2001, 8, 10), max: Date.UTC(2040, 11, 31) }),
      indexes,
      fc.constantFrom(...zones, ...changing),
      periods,
      (firstStartTime, index, timeZone, period) => {
        const start = Temporal.Instant.fromEpochMilliseconds(firstStartTime).toZonedDateTimeISO(timeZone);
        const [[unit, count] = ['', 0]] = Object.entries(days[period]);
        const end = start.add({ [unit]: count * (index + 1) }, { overflow: 'constrain' });
        expect(periodEnd(firstStartTime, index, timeZone, period)).toBe(end.epochMilliseconds);
      },
    ),
    { numRuns: 5_000 },
  );
});
