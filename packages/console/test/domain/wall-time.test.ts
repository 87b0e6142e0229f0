// The calendar of the console agrees with that of the server, which is Temporal.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { startOfDay } from '../../src/parts/wall-time.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

test('a day begins when it does for the server, in any time zone', () => {
  const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (ms, timeZone) => {
      const day = new Date(ms).toISOString().slice(0, 10);
      const expected = Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
      expect(startOfDay(day, timeZone)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
