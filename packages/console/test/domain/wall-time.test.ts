// The calendar of the console agrees with that of the server, which is Temporal.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { dateText, instantOfDate, isoOf } from '../../src/values/date-text.ts';
import { comesTwice, instantOfMinute, later, minuteText, startOfDay } from '../../src/values/wall-time.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });

test('a day begins when it does for the server, in any time zone', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (ms, timeZone) => {
      const day = new Date(ms).toISOString().slice(0, 10);
      const expected = Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
      expect(startOfDay(day, timeZone)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('months and days later, and at a wall time, it is the instant of the server', () => {
  fc.assert(
    fc.property(
      instant,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(...zones),
      (ms, months, timeZone) => {
        const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
        const after = zoned.add({ months }).add({ days: months });
        expect(later(ms, { months, days: months }, timeZone)).toBe(after.epochMilliseconds);
        const minute = zoned.toPlainDateTime().toString({ smallestUnit: 'minute' });
        expect(minuteText(ms, timeZone)).toBe(minute);
        const first = Temporal.PlainDateTime.from(minute).toZonedDateTime(timeZone);
        expect(instantOfMinute(minute, timeZone)).toBe(first.epochMilliseconds);
      },
    ),
    { numRuns: 500 },
  );
});

test('a wall time comes twice in the hour before and the hour after clocks are set back, and at no other time', () => {
  const setBack = Date.UTC(2025, 9, 26, 1);
  const hour = 60 * 60_000;
  const shown = [setBack - hour - 1, setBack - hour, setBack, setBack + hour - 1, setBack + hour];
  expect(shown.map((ms) => comesTwice(ms, 'Europe/Berlin'))).toEqual([false, true, true, true, false]);
  expect(shown.map((ms) => comesTwice(ms, 'UTC'))).toEqual([false, false, false, false, false]);
});

test('a date that is shown is read as the same wall time, in the time zone of the page', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (ms, timeZone) => {
      const minute = minuteText(ms, timeZone);
      expect(isoOf(dateText(minute))).toBe(minute);
      expect(isoOf(dateText(minute.slice(0, 10)))).toBe(minute.slice(0, 10));
      expect(instantOfDate(dateText(minute), timeZone)).toBe(instantOfMinute(minute, timeZone));
    }),
  );
});

test.each(['31 Feb 2026', '2026-02-31', '12/28/2026', '28 Foo 2026', '2026-12-28T25:00', '', '-24h'])(
  '%j is no date',
  (text) => {
    expect(instantOfDate(text, 'UTC')).toBeUndefined();
  },
);
