// The months that a query asks for.

import { eventPeriodsMax, periodIndexMax } from '@opentill/contract/limits.ts';
import { Refusal, refuseValue } from '../refusal.ts';

/** Both ends are inclusive. */
export interface PeriodRange {
  readonly fromPeriod: number;
  readonly toPeriod: number;
}

export const allPeriods: PeriodRange = { fromPeriod: 0, toPeriod: periodIndexMax };

export function periodsOf(query: Partial<PeriodRange>): PeriodRange | Refusal<'invalidRequest'> {
  const range = { ...allPeriods, ...query };
  if (range.fromPeriod <= range.toPeriod) return range;
  const message = `expected at least fromPeriod, which is ${range.fromPeriod}, got ${range.toPeriod}`;
  return refuseValue('invalidRequest', 'toPeriod', message);
}

/** At most `eventPeriodsMax` months: from one end of the range, or up to the newest month. */
export function eventPeriodsOf(
  query: Partial<PeriodRange>,
  newest: number,
): PeriodRange | Refusal<'invalidRequest'> {
  const distance = eventPeriodsMax - 1;
  const toPeriod = query.toPeriod ?? (query.fromPeriod === undefined ? newest : query.fromPeriod + distance);
  const fromPeriod = query.fromPeriod ?? Math.max(0, toPeriod - distance);
  const range = periodsOf({ fromPeriod, toPeriod });
  if (range instanceof Refusal || toPeriod - fromPeriod <= distance) return range;
  const message = `expected at most ${fromPeriod + distance}, because a call covers ${eventPeriodsMax} months, got ${toPeriod}`;
  return refuseValue('invalidRequest', 'toPeriod', message);
}
