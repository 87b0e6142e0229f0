import { timestampMax } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AppClock,
  appNow,
  appTimeMax,
  decideAdvance,
  isAdvancing,
  setAppClock,
} from '../../../src/domain/sandbox/app-clock.ts';

const now = Date.UTC(2026, 2, 15, 12);
const dayMs = 24 * 60 * 60 * 1000;

const realTimes = fc.integer({ min: now - 10 * 365 * dayMs, max: now + 10 * 365 * dayMs });
const modes = fc.constantFrom<AppClock['mode']>('running', 'frozen');
const rates = fc.oneof(
  fc.constantFrom(1, 8928, 0.001, 100_000),
  fc.double({ min: 0.001, max: 100_000, noNaN: true }),
);
const clocks: fc.Arbitrary<AppClock | undefined> = fc.option(
  fc.record({
    mode: modes,
    rate: rates,
    realTime: realTimes,
    appTime: fc.integer({ min: now - 100 * dayMs, max: appTimeMax }),
  }),
  { nil: undefined },
);

test('an app without a clock uses real time', () => {
  fc.assert(fc.property(realTimes, (realNow) => appNow(undefined, realNow) === realNow));
});

describe('app clocks', () => {
  test('a clock never goes back while real time does not, and never exceeds 13 digits', () => {
    fc.assert(
      fc.property(clocks, realTimes, fc.nat(10 * 365 * dayMs), (clock, realNow, passed) => {
        const first = appNow(clock, realNow);
        const later = appNow(clock, realNow + passed);
        expect(later).toBeGreaterThanOrEqual(first);
        expect(Number.isSafeInteger(later)).toBe(true);
        expect(later).toBeLessThanOrEqual(Math.max(timestampMax, realNow + passed));
      }),
    );
  });

  test('a frozen clock does not move', () => {
    fc.assert(
      fc.property(clocks, realTimes, fc.nat(), (clock, realNow, passed) => {
        const frozen = setAppClock(clock, { mode: 'frozen', rate: 1, realNow });
        expect(appNow(frozen, realNow + passed)).toBe(appNow(clock, realNow));
      }),
    );
  });

  test('setting the mode or the rate of a clock keeps its current instant', () => {
    fc.assert(
      fc.property(clocks, realTimes, modes, rates, (clock, realNow, mode, rate) => {
        const set = setAppClock(clock, { mode, rate, realNow });
        expect(appNow(set, realNow)).toBe(appNow(clock, realNow));
      }),
    );
  });

  test('a clock of rate 8928 shows a month of 31 days in five minutes', () => {
    const clock = setAppClock(undefined, { mode: 'running', rate: 8928, realNow: now });
    expect(appNow(clock, now + 5 * 60 * 1000)).toBe(now + 31 * dayMs);
  });

  test('a clock whose real time lies ahead stands until then and continues from there', () => {
    const clock: AppClock = { mode: 'running', rate: 10, realTime: now + 5_000, appTime: now };
    const shown = [0, 4_999, 5_000, 5_001].map((passed) => appNow(clock, now + passed) - now);
    expect(shown).toEqual([0, 0, 0, 10]);
  });

  test('a clock stops at the last instant from which a month still ends within 13 digits', () => {
    const clock: AppClock = { mode: 'running', rate: 100_000, realTime: now, appTime: now };
    expect(appNow(clock, now + 100 * 365 * dayMs)).toBe(appTimeMax);
    expect(appTimeMax + 31 * dayMs).toBeLessThan(timestampMax);
  });
});

describe('advances', () => {
  const decide = (request: { by?: string; to?: number; timeZone?: string; from?: number }) => {
    const { by, to, timeZone = 'UTC', from = now } = request;
    return decideAdvance({ timeZone, now: from, by, to });
  };

  test.each([
    ['P1M', Date.UTC(2026, 3, 15, 12)],
    ['P10Y', Date.UTC(2036, 2, 15, 12)],
    ['P1DT90S', Date.UTC(2026, 2, 16, 12, 1, 30)],
    ['PT0S', now],
    ['PT0.001S', now + 1],
    ['p1w', Date.UTC(2026, 2, 22, 12)],
  ])('an advance by %s follows the calendar', (by, to) => {
    expect(decide({ by })).toEqual({ to });
  });

  test('an advance by one day takes 23 hours in spring and 25 in autumn where clocks change', () => {
    const spring = Date.parse('2026-03-28T12:00:00+01:00');
    const autumn = Date.parse('2026-10-24T12:00:00+02:00');
    const lengthOf = (from: number) => {
      const decision = decide({ by: 'P1D', timeZone: 'Europe/Berlin', from });
      return 'to' in decision && (decision.to - from) / 3_600_000;
    };
    expect([lengthOf(spring), lengthOf(autumn)]).toEqual([23, 25]);
  });

  test.each([
    [{}, undefined],
    [{ by: 'P1M', to: now }, undefined],
    [{ by: 'a month' }, 'by'],
    [{ by: '-PT0.001S' }, 'by'],
    [{ by: 'P10YT1S' }, 'by'],
    [{ by: 'P999999999Y' }, 'by'],
    [{ to: now - 1 }, 'to'],
    [{ to: Date.UTC(2036, 2, 15, 12, 0, 0, 1) }, 'to'],
    [{ to: appTimeMax, from: appTimeMax + 1 }, 'to'],
  ] as const)('an advance of %j is rejected', (request, field) => {
    const decision = decide(request);
    expect('message' in decision && decision.field).toBe(field);
  });

  test('an advance reaches any instant up to 10 years ahead, and none after the last of a clock', () => {
    fc.assert(
      fc.property(fc.nat(3652 * dayMs), (ahead) => {
        expect(decide({ to: now + ahead })).toEqual({ to: now + ahead });
      }),
    );
    const from = appTimeMax - dayMs;
    expect(decide({ to: appTimeMax, from })).toEqual({ to: appTimeMax });
    expect(decide({ to: appTimeMax + 1, from })).toHaveProperty('field', 'to');
  });
});

test('a lease excludes other holders until it ends', () => {
  const at = (leaseUntil: number | null) => isAdvancing({ leaseUntil }, now);
  expect([null, now - 1, now, now + 1].map(at)).toEqual([false, false, false, true]);
  expect(isAdvancing(undefined, now)).toBe(false);
});
