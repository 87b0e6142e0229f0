// Whether a period from another store is as long as its subscription says: another length would be charged at the wrong
// price (docs/import-export.md).

import type { Period } from '@opentill/contract/periods.ts';
import { quoteInstant } from '../text/quoted-value.ts';
import { dayMs } from '../time.ts';

const yearDays = 365.25;

const daysOfUnit: Readonly<Record<string, number>> = { D: 1, W: 7, M: yearDays / 12, Y: yearDays };

/** On average, of a length such as P3M or P10D. */
function daysOf(length: string): number {
  return Number(length.slice(1, -1)) * (daysOfUnit[length.slice(-1)] ?? Number.NaN);
}

/** Months differ by up to 3 days, and a shorter extension leaves the anchor where it is. */
const ownDays = 3;

const soldLengths = ['P1W', 'P1M', 'P3M', 'P6M', 'P1Y'] as const satisfies readonly Period[];

/** The problem of a period that is nearer to another length that stores sell than to its own. */
export function lengthProblem(
  { startTime, expiryTime }: { readonly startTime: number; readonly expiryTime: number },
  length: string,
): string | undefined {
  const days = (expiryTime - startTime) / dayMs;
  const distance = (one: string) => Math.abs(days - daysOf(one));
  if (distance(length) <= ownDays) return undefined;
  const nearer = soldLengths
    .filter((one) => distance(one) < distance(length))
    .toSorted((a, b) => distance(a) - distance(b))[0];
  if (nearer === undefined) return undefined;
  const start = `the start of the period at ${quoteInstant(startTime)}`;
  return `expiryTime: expected the end of a period of ${length} after ${start}, got ${quoteInstant(expiryTime)}, nearer to ${nearer}`;
}
