// What the page of a subscription reads: the months, charges and events of at most five years.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export interface SubscriptionKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

/** Months that are loaded at once. */
const loadedMonthsMax = 60;

/** The months up to this one; undefined: the newest ones. */
type LastPeriod = number | undefined;

function rangeUpTo(toPeriod: LastPeriod) {
  if (toPeriod === undefined) return {};
  return { fromPeriod: Math.max(0, toPeriod - loadedMonthsMax + 1), toPeriod };
}

export const subscriptionQuery = ({ packageName, firstPurchaseId }: SubscriptionKey, toPeriod: LastPeriod) =>
  queryOptions({
    queryKey: ['subscription', packageName, firstPurchaseId, toPeriod ?? 'newest'],
    queryFn: ({ signal }) =>
      client.getSubscription(
        { packageName, firstPurchaseId, ...rangeUpTo(toPeriod), newestMonths: loadedMonthsMax },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
