// The digits of prices. This file has no schemas, like limits.ts.

import type { PriceUnit } from './fields.ts';

/** The digits of minor units in ISO 4217 where they are not 2. Those of Intl are for display: 0 for HUF or IDR. */
const isoDigits = new Map<string, number>(
  (
    [
      [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
      [3, 'BHD IQD JOD KWD LYD OMR TND'],
      [4, 'CLF UYW'],
    ] as const
  ).flatMap(([digits, currencies]) => currencies.split(' ').map((currency) => [currency, digits] as const)),
);

/** How many of the digits of a price follow the decimal point. */
export function digitsOf(currency: string, unit: PriceUnit): number {
  return unit === 'minor' ? (isoDigits.get(currency) ?? 2) : 0;
}
