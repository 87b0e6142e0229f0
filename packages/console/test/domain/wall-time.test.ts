// The calendar of the console agrees with that of the server, which is Temporal.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { monthLater } from '../../src/parts/wall-time.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

function byServer(instant: number, timeZone: string): number {
  const from = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  return from.add({ months: 1 }).epochMilliseconds;
}

test('a month later is the instant to which the server advances a clock by P1M, in any time zone', () => {
  const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (from, timeZone) => {
      expect(monthLater(from, timeZone)).toBe(byServer(from, timeZone));
    }),
    { numRuns: 500 },
  );
});

test('a month later is right at the ends of months, and where the clocks are changed', () => {
  for (const text of [
    '2026-01-31T12:00:00.123Z',
    '2024-01-30T23:59:59Z',
    // 02:30 does not exist on 29 March, and exists twice on 25 October.
    '2026-02-28T01:30:00Z',
    '2026-09-25T00:30:00Z',
    '2026-09-25T01:30:00Z',
  ]) {
    const from = Date.parse(text);
    for (const timeZone of zones) {
      expect([text, timeZone, monthLater(from, timeZone)]).toEqual([
        text,
        timeZone,
        byServer(from, timeZone),
      ]);
    }
  }
});
