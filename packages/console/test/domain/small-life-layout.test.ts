// The small picture of a subscription: where its months are.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutSmallLife, smallMonthsMax, smallWidth } from '../../src/pictures/small-life-layout.ts';

const life = fc
  .record({
    state: fc.constantFrom('active', 'auto_payment_off', 'payment_outstanding', 'expired', 'terminated'),
    lastPeriodIndex: fc.nat({ max: 1_300 }),
    voided: fc.uniqueArray(fc.nat({ max: 1_300 }), { maxLength: 30 }),
  })
  .map(({ voided, ...fields }) => ({
    ...fields,
    voidedPeriods: voided.filter((period) => period <= fields.lastPeriodIndex),
  }));

test('the newest months fit in order without overlapping, and the voided ones and the next one are marked', () => {
  fc.assert(
    fc.property(life, (subscription) => {
      const months = layOutSmallLife(subscription);
      months.forEach(({ x, width }, index) => {
        expect(x + width).toBeLessThan(months[index + 1]?.x ?? smallWidth);
      });
      const lived = subscription.lastPeriodIndex + 1;
      const first = Math.max(0, lived - smallMonthsMax);
      const past = months.filter(({ kind }) => kind === 'paid' || kind === 'voided');
      expect(past).toHaveLength(lived - first);
      const voided = past.flatMap(({ kind }, index) => (kind === 'voided' ? [first + index] : []));
      expect(voided).toEqual(
        subscription.voidedPeriods.filter((period) => period >= first).toSorted(byNumber),
      );
      const next = { active: ['next'], payment_outstanding: ['outstanding'] };
      expect(months.slice(past.length).map(({ kind }) => kind)).toEqual(
        next[subscription.state as keyof typeof next] ?? [],
      );
    }),
  );
});

const byNumber = (left: number, right: number): number => left - right;
