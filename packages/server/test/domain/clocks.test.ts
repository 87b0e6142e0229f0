// When time-driven work is held, and how long a lease counts.

import { describe, expect, test } from 'vitest';
import { decideClockHold, markAheadMaxMs } from '../../src/domain/clocks/clock-hold.ts';
import { isLeased } from '../../src/domain/clocks/leases.ts';

const minuteMs = 60_000;
const now = Date.UTC(2026, 2, 15, 12);

const reasonOf = (clocks: Partial<Parameters<typeof decideClockHold>[0]>) =>
  decideClockHold({ databaseNow: now, mark: now, wasBehind: false, ...clocks })?.reason;

describe('time-driven work', () => {
  test("work is held while the database's time is more than 3 days past the mark", () => {
    expect(reasonOf({ mark: now - 3 * 24 * 60 * minuteMs })).toBeUndefined();
    expect(reasonOf({ mark: now - markAheadMaxMs - 1 })).toBe('ahead');
  });

  test("work is held from 60 seconds before the mark until the database's time has passed it", () => {
    expect(reasonOf({ mark: now + minuteMs })).toBeUndefined();
    expect(reasonOf({ mark: now + minuteMs + 1 })).toBe('behind');
    expect(reasonOf({ mark: now + 1, wasBehind: true })).toBe('behind');
    expect(reasonOf({ mark: now, wasBehind: true })).toBeUndefined();
  });

  test('nothing is held before the first mark', () => {
    expect(reasonOf({ mark: undefined })).toBeUndefined();
  });
});

test('a lease counts until its end, and not if it ends later than it can last plus 60 seconds', () => {
  const leaseMs = 15_000;
  expect(isLeased(null, now, leaseMs)).toBe(false);
  expect(isLeased(now, now, leaseMs)).toBe(false);
  expect(isLeased(now + 1, now, leaseMs)).toBe(true);
  expect(isLeased(now + leaseMs + minuteMs, now, leaseMs)).toBe(true);
  expect(isLeased(now + leaseMs + minuteMs + 1, now, leaseMs)).toBe(false);
});
