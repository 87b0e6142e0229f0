// The selection of the faults that a call considers.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FaultRule, faultsOf } from '../../../src/domain/sandbox/faults.ts';

const rules = fc.record<FaultRule>({
  operation: fc.constantFrom('getPurchaseDetails', 'consumePurchase', 'charge'),
  times: fc.option(fc.integer({ min: 1, max: 5 })),
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
