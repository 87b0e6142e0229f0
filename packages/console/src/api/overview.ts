// What the overview reads. There is no operation that lists the purchases or pauses of all apps, so it asks for those of the
// first apps.

import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** Apps whose purchases and pauses the overview shows: two calls each. */
export const shownAppsMax = 10;

export const shownRowsMax = 6;

const refreshEveryMs = 30_000;

export const appsQuery = queryOptions({
  queryKey: ['apps', 'first'],
  queryFn: ({ signal }) => client.listApps({ pageSize: shownAppsMax }, { signal }),
  refetchInterval: refreshEveryMs,
});

export const latestPurchasesQuery = (packageName: string) =>
  queryOptions({
    queryKey: ['purchases', packageName, 'latest'],
    queryFn: ({ signal }) => client.listPurchases({ packageName, pageSize: shownRowsMax }, { signal }),
    refetchInterval: refreshEveryMs,
  });

/** Those with the most dead deliveries come first. */
export const worstWebhooksQuery = queryOptions({
  queryKey: ['webhooks', 'worst'],
  queryFn: ({ signal }) => client.listWebhooks({ pageSize: shownRowsMax }, { signal }),
  refetchInterval: refreshEveryMs,
});

export const latestVoidsQuery = queryOptions({
  queryKey: ['voids', 'latest'],
  queryFn: ({ signal }) => client.listVoids({ pageSize: shownRowsMax }, { signal }),
  refetchInterval: refreshEveryMs,
});

/** The renewals of all apps, or of one app. */
export const renewalsQuery = (packageName?: string) =>
  queryOptions({
    queryKey: ['renewals', packageName ?? ''],
    queryFn: ({ signal }) => client.getRenewals({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });
