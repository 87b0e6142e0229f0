import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/implementation';
import { describe, expect, test } from 'vitest';
import {
  anchorOfMoved,
  periodEnd as endByAnchor,
  isTimeZone,
  monthsBetween,
} from '../../../src/domain/subscriptions/calendar-period.ts';
import { daysInMonth, onTheWall } from '../../wall-clock.ts';

const zones = ['UTC', 'Asia/Seoul', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', '+05:45'];
const timeZones = fc.constantFrom(...zones);
const firstStarts = fc.integer({ min: Date.UTC(2001, 8, 10), max: Date.UTC(2099, 11, 31) });
const indexes = fc.integer({ min: 0, max: 240 });

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** The end of a period of a subscription that was never extended. */
const periodEnd = (firstStart: number, index: number, timeZone: string) =>
  endByAnchor({ anchorTime: firstStart, anchorIndex: -1, timeZone }, index);

describe('period ends', () => {
  test('a period ends on the day of the first start, or on the last day of a shorter month', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, (firstStart, index, timeZone) => {
        const anchor = onTheWall(firstStart, timeZone);
        const end = onTheWall(periodEnd(firstStart, index, timeZone), timeZone);
        const months = anchor.months + index + 1;
        expect(end.months).toBe(months);
        expect(end.day).toBe(Math.min(anchor.day, daysInMonth(months)));
      }),
      { numRuns: 1000 },
    );
  });

  test('a period ends at the time of day of the first start, later only by what a clock change skipped', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, (firstStart, index, timeZone) => {
        const end = periodEnd(firstStart, index, timeZone);
        const late = onTheWall(end, timeZone).time - onTheWall(firstStart, timeZone).time;
        const clockChange = late === 0 ? 0 : timeZone === 'Australia/Lord_Howe' ? 1800 : 3600;
        expect(late).toBe(clockChange);
        expect(end % 1000).toBe(firstStart % 1000);
      }),
      { numRuns: 1000 },
    );
  });

  test('a period ends at the same instant with the Temporal of Node.js and with the polyfill', () => {
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, (firstStart, index, timeZone) => {
        const start = Temporal.Instant.fromEpochMilliseconds(firstStart).toZonedDateTimeISO(timeZone);
        const { epochMilliseconds } = start.add({ months: index + 1 });
        expect(periodEnd(firstStart, index, timeZone)).toBe(epochMilliseconds);
      }),
    );
  });

  test('the periods up to the end of one are counted, even if another calendar ended it days apart', () => {
    const daysApart = fc.integer({ min: -10, max: 10 });
    fc.assert(
      fc.property(firstStarts, indexes, timeZones, daysApart, (firstStart, index, timeZone, days) => {
        const end = periodEnd(firstStart, index, timeZone) + days * 86_400_000;
        expect(monthsBetween({ anchorTime: firstStart, timeZone }, end)).toBe(index + 1);
      }),
    );
  });

  test('a period that ended early in a short month does not shift the following ones', () => {
    const firstStart = at('2026-01-31');
    const ends = [0, 1, 2, 3].map((index) => periodEnd(firstStart, index, 'UTC'));
    expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'].map(at));
  });

  test('the periods after a moved end are counted from it', () => {
    const anchor = { anchorTime: at('2026-05-31'), anchorIndex: 2, timeZone: 'UTC' };
    const ends = [3, 4, 5].map((index) => endByAnchor(anchor, index));
    expect(ends).toEqual(['2026-06-30', '2026-07-31', '2026-08-31'].map(at));
  });

  test('an index that is not a whole number from that of the anchor on throws', () => {
    for (const anchorIndex of [-1, 7]) {
      const anchor = { anchorTime: 0, anchorIndex, timeZone: 'UTC' };
      for (const index of [anchorIndex - 1, anchorIndex + 0.5, Number.NaN]) {
        expect(() => endByAnchor(anchor, index)).toThrow(RangeError);
      }
    }
  });
});

describe('the anchor of a subscription from another store', () => {
  const moved = { firstStart: at('2026-01-31'), timeZone: 'UTC', lastPeriodIndex: 1 };
  const first = { anchorTime: moved.firstStart, anchorIndex: -1 };

  test('is its first start if its last month ends where the calendar says, or was voided before', () => {
    const ended = { expiryTime: at('2026-03-10'), terminatedTime: at('2026-03-10') };
    expect(anchorOfMoved({ ...moved, expiryTime: at('2026-03-31') })).toEqual(first);
    expect(anchorOfMoved({ ...moved, ...ended })).toEqual(first);
  });

  test('is the end of its last month if that lies elsewhere, so that the next month is a whole one', () => {
    const expiryTime = at('2026-04-30');
    const anchor = anchorOfMoved({ ...moved, expiryTime });
    expect(anchor).toEqual({ anchorTime: expiryTime, anchorIndex: 1 });
    expect(endByAnchor({ ...anchor, timeZone: 'UTC' }, 2)).toBe(at('2026-05-30'));
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
