// Keeps what the lab of an app shows up to date: after an event, after a call of the backend, when a stop is due, and at
// intervals, because another operator may change the clock, and the webhook is called without an event.

import type { AppClockWithStops } from '@opentill/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { elapsedMs } from '../runtime/clock.ts';
import { dayMs } from '../runtime/durations.ts';
import {
  clockQuery,
  deliveriesQuery,
  faultsQuery,
  type ReadClock,
  type RequestFilter,
  refreshLab,
  requestsQuery,
  upcomingQuery,
} from './lab.ts';
import { useLiveEvents } from './live-events.ts';

/** The purchase API is called without events, and by others. */
const requestsEveryMs = 2_000;

/** The webhook is called, and others change faults, without events. */
const othersEveryMs = 5_000;

/** Another operator may set the clock. Its response is never the same. */
const clockEveryMs = 10_000;

/** While something is overdue, and the longest timer of a browser. */
const dueLimits = { min: 2_000, max: dayMs } as const;

/** Returns whether the server answers. */
export function useLiveLab(filter: RequestFilter): boolean {
  const { packageName } = filter;
  const queryClient = useQueryClient();
  useLiveEvents(packageName, () => refreshLab(queryClient, packageName));
  const requests = useQuery({ ...requestsQuery(filter), refetchInterval: requestsEveryMs });
  const deliveries = useQuery({ ...deliveriesQuery(packageName), refetchInterval: othersEveryMs });
  const clock = useQuery({ ...clockQuery(packageName), refetchInterval: clockEveryMs });
  useQuery({ ...faultsQuery(packageName), refetchInterval: othersEveryMs });
  useQuery({
    ...upcomingQuery(packageName),
    refetchInterval: ({ state }) => msUntilDue(state.data, clock.data),
  });
  const newestId = requests.data?.requests[0]?.requestId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new call may have changed anything
  useEffect(() => refreshLab(queryClient, packageName), [queryClient, packageName, newestId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt changes when the next one is due
  useEffect(() => {
    void queryClient.invalidateQueries(upcomingQuery(packageName));
  }, [queryClient, packageName, deliveries.data]);
  return requests.error === null && clock.error === null;
}

function msUntilDue(upcoming: AppClockWithStops | undefined, clock: ReadClock | undefined): number | false {
  const next = upcoming?.stops[0]?.time;
  if (next === undefined || clock === undefined || clock.mode === 'frozen') return false;
  const now = clock.now + (elapsedMs() - clock.readAt) * clock.rate;
  return Math.min(Math.max((next - now) / clock.rate, dueLimits.min), dueLimits.max);
}
