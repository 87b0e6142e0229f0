// What several tabs of an app read.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { client, hasStatus } from './client.ts';

export const appQuery = (packageName: string) =>
  queryOptions({
    queryKey: ['app', packageName],
    queryFn: ({ signal }) => client.getApp({ packageName }, { signal }),
  });

/** `webhook` is null for an app without one. */
export const webhookQuery = (packageName: string) =>
  queryOptions({
    queryKey: ['webhook', packageName],
    async queryFn({ signal }) {
      try {
        return await client.getWebhook({ packageName }, { signal });
      } catch (error) {
        if (hasStatus(error, 404)) return null;
        throw error;
      }
    },
  });

export type ShownDelivery = Awaited<ReturnType<OperatorOperations['getDelivery']>>;

export const deliveryQuery = (packageName: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', packageName, deliveryId],
    queryFn: ({ signal }) => client.getDelivery({ packageName, deliveryId }, { signal }),
  });
