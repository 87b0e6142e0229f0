// Where the months of a subscription are in its small picture, in pixels.

import type { ListedSubscription } from '@opentill/client/operator';

export const smallWidth = 160;

/** The same for each subscription, so that the lives in a list can be compared. */
const monthWidth = 8;

/** The others are left out; the last place is that of the next month. */
export const smallMonthsMax = smallWidth / monthWidth - 1;

export interface SmallMonth {
  readonly kind: 'paid' | 'voided' | 'outstanding' | 'next';
  readonly x: number;
  readonly width: number;
}

export type SmallLife = Pick<ListedSubscription, 'state' | 'lastPeriodIndex' | 'voidedPeriods'>;

/** The newest months, oldest first, and the one that is to be paid next, if there is one. */
export function layOutSmallLife({ state, lastPeriodIndex, voidedPeriods }: SmallLife): SmallMonth[] {
  const voided = new Set(voidedPeriods);
  const lived = livedMonths({ lastPeriodIndex, voidedPeriods });
  const first = Math.max(0, lived - smallMonthsMax);
  const kinds: SmallMonth['kind'][] = [];
  for (let period = first; period < lived; period += 1) kinds.push(voided.has(period) ? 'voided' : 'paid');
  if (state === 'active') kinds.push('next');
  if (state === 'payment_outstanding') kinds.push('outstanding');
  return kinds.map((kind, index) => ({ kind, x: index * monthWidth, width: monthWidth - 1 }));
}

/** A month that was paid after the end, and voided, is one more. */
export function livedMonths({
  lastPeriodIndex,
  voidedPeriods,
}: Pick<SmallLife, 'lastPeriodIndex' | 'voidedPeriods'>): number {
  return Math.max(lastPeriodIndex, ...voidedPeriods) + 1;
}
