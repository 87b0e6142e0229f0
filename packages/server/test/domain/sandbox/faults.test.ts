// The selection of the fault that a call triggers.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FaultRule, faultsOf, isDrawn } from '../../../src/domain/sandbox/faults.ts';

const rules = fc.record<FaultRule>({
  operation: fc.constantFrom('getPurchaseDetails', 'consumePurchase', 'charge'),
  times: fc.option(fc.integer({ min: 1, max: 5 })),
  probability: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true })),
  seed: fc.integer({ min: 0, max: 4_294_967_295 }),
  applied: fc.integer({ min: 0, max: 6 }),
});

test('a call considers the unused faults of its operation, in their order', () => {
  fc.assert(
    fc.property(fc.array(rules), (faults) => {
      const found = faultsOf(faults, 'charge');
      const expected = faults.filter(
        ({ operation, times, applied }) => operation === 'charge' && (times === null || applied < times),
      );
      expect(found).toEqual(expected);
    }),
  );
});

describe('fault probability', () => {
  test('the same calls trigger a fault whenever the seed is the same', () => {
    fc.assert(
      fc.property(rules, fc.nat(), (rule, nth) => {
        expect(isDrawn({ ...rule }, nth)).toBe(isDrawn(rule, nth));
      }),
    );
  });

  test.each([0.1, 0.5, 0.9])(
    'a fault of probability %d is triggered by about that share of calls',
    (probability) => {
      const rule = { operation: 'charge', times: null, probability, seed: 20_260_315, applied: 0 };
      const met = Array.from({ length: 10_000 }, (_, nth) => isDrawn(rule, nth)).filter(Boolean).length;
      expect(met / 10_000).toBeGreaterThan(probability - 0.02);
      expect(met / 10_000).toBeLessThan(probability + 0.02);
    },
  );

  test('a fault of probability 1, or without one, is triggered by every call', () => {
    fc.assert(
      fc.property(rules, fc.nat(), (rule, nth) => {
        expect(isDrawn({ ...rule, probability: 1 }, nth)).toBe(true);
        expect(isDrawn({ ...rule, probability: null }, nth)).toBe(true);
      }),
    );
  });

  test('every seed selects different calls', () => {
    const run = (seed: number) =>
      Array.from({ length: 64 }, (_, nth) =>
        isDrawn({ operation: 'charge', times: null, probability: 0.5, seed, applied: 0 }, nth),
      );
    const runs = new Set(Array.from({ length: 100 }, (_, seed) => run(seed).join()));
    expect(runs.size).toBe(100);
  });
});
