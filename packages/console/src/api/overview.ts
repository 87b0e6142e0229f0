// What the overview reads in addition to the statistics.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { serverNow } from '../runtime/clock.ts';
import { dayMs } from '../runtime/durations.ts';
import { client } from './client.ts';
import { refreshEveryMs } from './statistics.ts';

/** Webhooks and calls on the overview; the rest is on their pages. */
const shownMax = 50;

export type AttentionRow = Awaited<ReturnType<OperatorOperations['listAttention']>>['rows'][number];

export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => client.listAttention({}, { signal }),
  refetchInterval: refreshEveryMs,
});

/** Those with the most dead deliveries come first. */
export const worstWebhooksQuery = queryOptions({
  queryKey: ['webhooks', 'worst'],
  queryFn: ({ signal }) => client.listWebhooks({ pageSize: shownMax }, { signal }),
  refetchInterval: refreshEveryMs,
});

/** The calls of the last 24 hours that changed something. */
export const changesQuery = queryOptions({
  queryKey: ['actions', 'changes'],
  queryFn: ({ signal }) =>
    client.listActions(
      { outcome: 'success', from: Math.floor(serverNow()) - dayMs, pageSize: shownMax },
      { signal },
    ),
  refetchInterval: refreshEveryMs,
});

/** The renewals of all apps, or of one app. */
export const renewalsQuery = (packageName?: string) =>
  queryOptions({
    queryKey: ['renewals', packageName ?? ''],
    queryFn: ({ signal }) => client.getRenewals({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });
