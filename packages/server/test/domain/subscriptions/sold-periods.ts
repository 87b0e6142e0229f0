// The lengths of subscriptions that a store sells, for properties that hold for each of them.

import type { Period } from '@opentill/contract/periods.ts';
import fc from 'fast-check';

/** How many weeks or months each length has. */
export const periodLengths = {
  P1W: { weeks: 1 },
  P1M: { months: 1 },
  P3M: { months: 3 },
  P6M: { months: 6 },
  P1Y: { months: 12 },
} as const satisfies Record<Period, object>;

export const periods = fc.constantFrom(...(Object.keys(periodLengths) as Period[]));

export const firstPeriods = fc.option(
  fc.constantFrom('P3D', 'P7D', 'P30D', 'P1W', 'P2W', 'P52W', 'P1M', 'P2M', 'P12M', 'P1Y'),
  { nil: null },
);
