// What the overview reads in addition to the statistics.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client.ts';
import { useConnection } from './connection.ts';
import { sessionQuery } from './session.ts';
import { refreshEveryMs } from './statistics.ts';

/** On the overview; the rest is in the audit trail. Those that are read include sign-ins, which change nothing. */
const changesMax = { read: 50, shown: 8 } as const;

/** While the server does not answer. */
const lostEveryMs = 3_000;

export type AttentionRow = Awaited<ReturnType<OperatorOperations['listAttention']>>['rows'][number];

/** As long as the server remembers its response. */
const attentionFreshMs = 5_000;

const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => client.listAttention({}, { signal }),
  staleTime: attentionFreshMs,
});

/** What needs attention. It is polled in one place, which also notices the end of an outage. */
export function useAttention({ isPolled = false } = {}) {
  const { data } = useQuery(sessionQuery);
  const { isLost } = useConnection();
  const enabled = data?.session?.mayCall.includes('listAttention') === true;
  const everyMs = isLost ? lostEveryMs : refreshEveryMs;
  return useQuery({ ...attentionQuery, enabled, refetchInterval: isPolled && everyMs });
}

/** The calls that changed something last. */
export const changesQuery = queryOptions({
  queryKey: ['actions', 'changes'],
  queryFn: ({ signal }) => client.listActions({ pageSize: changesMax.read }, { signal }),
  select: ({ actions }) =>
    actions.filter(({ operationId }) => operationId !== 'createSession').slice(0, changesMax.shown),
  refetchInterval: refreshEveryMs,
});

/** The clock of the app whose numbers are shown in the sandbox. */
export const chosenClockQuery = (packageName: string) =>
  queryOptions({
    queryKey: ['overview-clock', packageName],
    queryFn: ({ signal }) => client.getClock({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });

/** The renewals of all apps, or of one app. */
export const renewalsQuery = (packageName?: string) =>
  queryOptions({
    queryKey: ['renewals', packageName ?? ''],
    queryFn: ({ signal }) => client.getRenewals({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });
