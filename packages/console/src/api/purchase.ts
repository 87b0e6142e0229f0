// One purchase, and what belongs to it.

import type { PurchaseWithHistory } from '@opentill/client/operator';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { client } from './client.ts';

export interface PurchaseKey {
  readonly packageName: string;
  readonly purchaseId: string;
}

export type VoidEffect = PurchaseWithHistory['voidEffects'][number];

/** A purchase has a few; the rest is in the lists of the app. */
const relatedMax = 50;

const keyOf = ({ packageName, purchaseId }: PurchaseKey) => ['purchase', packageName, purchaseId];

export const purchaseQuery = (key: PurchaseKey) =>
  queryOptions({
    queryKey: [...keyOf(key), 'record'],
    queryFn: ({ signal }) => client.getPurchase({ ...key }, { signal }),
  });

/** The products of an app are few; the title of another one is its id. */
const productsMax = 200;

/** The title of a product, or its id. */
export const productTitleQuery = ({ packageName, productId }: { packageName: string; productId: string }) =>
  queryOptions({
    queryKey: ['products', packageName, 'titles'],
    queryFn: ({ signal }) => client.listProducts({ packageName, pageSize: productsMax }, { signal }),
    select: ({ products }) => products.find((product) => product.productId === productId)?.title ?? productId,
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

/** Reads back everything about the purchase. */
export function useReadBack(key: PurchaseKey): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: keyOf(key) });
}
