// One purchase, and what belongs to it.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';

export interface PurchaseKey {
  readonly packageName: string;
  readonly purchaseId: string;
}

export type VoidEffect = Awaited<ReturnType<OperatorOperations['previewVoid']>>['effects'][number];

/** A purchase has a few; the rest is in the lists of the app. */
const relatedMax = 50;

const keyOf = ({ packageName, purchaseId }: PurchaseKey) => ['purchase', packageName, purchaseId];

export const purchaseQuery = (key: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'record'],
    queryFn: ({ signal }) => client.getPurchase({ ...key }, { signal }),
  });

export const purchaseActionsQuery = ({ packageName, purchaseId }: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf({ packageName, purchaseId }), 'actions'],
    queryFn: ({ signal }) =>
      client.listActions({ packageName, subject: purchaseId, pageSize: relatedMax }, { signal }),
  });

export const purchaseDeliveriesQuery = ({ packageName, purchaseId }: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf({ packageName, purchaseId }), 'deliveries'],
    queryFn: ({ signal }) =>
      client.listDeliveries({ packageName, purchaseId, pageSize: relatedMax }, { signal }),
  });

export const developerViewQuery = (key: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'developer-view'],
    queryFn: ({ signal }) => client.getDeveloperView({ ...key }, { signal }),
  });

export const voidPreviewQuery = (key: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'void-preview'],
    queryFn: ({ signal }) => client.previewVoid({ ...key }, { signal }),
    // The effects are confirmed with their hash, so they must not change while they are read.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Reads back everything about the purchase. */
export function useReadBack(key: PurchaseKey): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: keyOf(key) });
}
