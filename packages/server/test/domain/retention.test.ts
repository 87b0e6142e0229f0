import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayOf, removableBefore, removableUntilDay } from '../../src/domain/retention.ts';
import { instants } from './arbitraries.ts';

const dayMs = 86_400_000;

describe('what is kept', () => {
  test('is kept for the whole time, and for less than two days more', () => {
    fc.assert(
      fc.property(instants, instants, fc.integer({ min: 4, max: 3_650 }), (written, now, days) => {
        const isRemovable = dayOf(written) <= removableUntilDay(now, days);
        if (isRemovable) expect(now - written).toBeGreaterThanOrEqual(days * dayMs);
        else expect(now - written).toBeLessThan((days + 2) * dayMs);
      }),
    );
  });

  test('by the instant is kept for exactly the time', () => {
    expect(removableBefore(40 * dayMs, 30)).toBe(10 * dayMs);
  });

  test('of a day goes when its last moment lies back far enough', () => {
    const day = dayOf(Date.UTC(2026, 2, 15, 12));
    expect(removableUntilDay(Date.UTC(2026, 3, 14, 23, 59, 59, 999), 30)).toBe(day - 1);
    expect(removableUntilDay(Date.UTC(2026, 3, 15), 30)).toBe(day);
  });
});
