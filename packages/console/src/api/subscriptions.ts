// What the page of a subscription reads: the months, charges and events of at most five years, in three calls.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export interface SubscriptionKey {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}

/** Months that are loaded at once. */
const loadedMonthsMax = 60;

/** The most entries of a page: five years have fewer, unless most charges were declined. */
const pageSize = 200;

/** The months up to this one; undefined: the newest ones. */
type LastPeriod = number | undefined;

function rangeUpTo(toPeriod: LastPeriod) {
  if (toPeriod === undefined) return {};
  return { fromPeriod: Math.max(0, toPeriod - loadedMonthsMax + 1), toPeriod };
}

const keyOf = (name: string, { packageName, firstPurchaseId }: SubscriptionKey, to: LastPeriod) =>
  ['subscription', packageName, firstPurchaseId, name, to ?? 'newest'] as const;

export const subscriptionQuery = (key: SubscriptionKey, toPeriod: LastPeriod) =>
  queryOptions({
    queryKey: keyOf('months', key, toPeriod),
    queryFn: ({ signal }) =>
      client.getSubscription({ ...key, ...rangeUpTo(toPeriod), newestMonths: loadedMonthsMax }, { signal }),
    placeholderData: keepPreviousData,
  });

export const attemptsQuery = (key: SubscriptionKey, toPeriod: LastPeriod) =>
  queryOptions({
    queryKey: keyOf('attempts', key, toPeriod),
    queryFn: ({ signal }) => client.listAttempts({ ...key, ...rangeUpTo(toPeriod), pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

export const subscriptionEventsQuery = (key: SubscriptionKey, toPeriod: LastPeriod) =>
  queryOptions({
    queryKey: keyOf('events', key, toPeriod),
    queryFn: ({ signal }) =>
      client.listSubscriptionEvents({ ...key, ...rangeUpTo(toPeriod), pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });
