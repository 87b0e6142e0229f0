// What the picture of a subscription shows, from the responses of the API.

import type { Attempt, Subscription } from '@opentill/client/operator';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lifeOf } from '../../src/pictures/life-data.ts';

const dayMs = 24 * 3_600_000;
const start = Date.UTC(2026, 0, 15);

/** A life of `length` periods, of which some are voided; each period after the first was charged `tries` times. */
function livedFor(length: number, { voided, tries }: { voided: readonly number[]; tries: number }) {
  const startOf = (index: number) => start + index * 30 * dayMs;
  const periods = Array.from({ length }, (_, periodIndex) => ({
    periodIndex,
    purchaseId: `S-${periodIndex}`,
    startTime: startOf(periodIndex),
    expiryTime: startOf(periodIndex + 1),
    price: 1,
    purchaseState: voided.includes(periodIndex) ? (1 as const) : (0 as const),
  }));
  const attempts = periods.slice(1).flatMap(({ periodIndex }) =>
    Array.from({ length: tries }, (_, index) => ({
      periodIndex,
      attempt: index + 1,
      outcome: index + 1 === tries ? 'paid' : 'declined',
      begunTime: startOf(periodIndex) + index * 3_600_000,
      settledTime: startOf(periodIndex) + index * 3_600_000,
    })),
  );
  return { periods, attempts: attempts as unknown as Attempt[], end: startOf(length) };
}

test('the picture has every period, voided or paid, and every charge of its window', () => {
  const lives = fc.record({
    length: fc.integer({ min: 1, max: 60 }),
    tries: fc.integer({ min: 1, max: 5 }),
    voided: fc.uniqueArray(fc.integer({ min: 0, max: 59 })),
    hoursAfterEnd: fc.integer({ min: -700, max: 700 }),
    autoRenewing: fc.boolean(),
  });
  fc.assert(
    fc.property(lives, ({ length, tries, voided, hoursAfterEnd, autoRenewing }) => {
      const { periods, attempts, end } = livedFor(length, { voided, tries });
      const now = end + hoursAfterEnd * 3_600_000;
      const state = autoRenewing && hoursAfterEnd >= 0 ? 'paymentOutstanding' : 'active';
      const shown = {
        period: 'P1M',
        periods,
        now,
        state,
        autoRenewing,
        expiryTime: end,
        lastPeriodIndex: length - 1,
      };
      const subscription = { ...shown, startTime: start } as unknown as Subscription;
      const data = lifeOf({ ...subscription, attempts, events: [] }, '€4.99');
      const count = (kind: string) => data.bars.filter((bar) => bar.kind === kind).length;
      const voidedShown = voided.filter((index) => index < length).length;
      expect([count('voided'), count('paid')]).toEqual([voidedShown, length - voidedShown]);
      expect(count('outstanding')).toBe(state === 'paymentOutstanding' ? 1 : 0);
      expect(data.charges.filter(({ kind }) => kind === 'paid')).toHaveLength(length - 1);
      expect(data.charges.filter(({ kind }) => kind === 'declined')).toHaveLength((length - 1) * (tries - 1));
      for (const [index, bar] of data.bars.entries()) {
        expect(bar.end).toBeGreaterThan(bar.start);
        expect(bar.start).toBeGreaterThanOrEqual(data.bars[index - 1]?.end ?? data.from);
        expect(bar.end).toBeLessThanOrEqual(data.to);
      }
    }),
  );
});
