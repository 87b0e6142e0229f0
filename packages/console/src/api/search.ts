// The search over the whole store.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type SearchHit = Awaited<ReturnType<OperatorOperations['search']>>['hits'][number];

/** After the last key, before a search. */
export const searchDelayMs = 150;

export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => client.search({ q }, { signal }),
    enabled: q !== '',
  });

/** The purchases with an order id, as hits. */
export const orderQuery = (orderId: string) =>
  queryOptions({
    queryKey: ['search', 'order', orderId],
    queryFn: async ({ signal }): Promise<{ hits: SearchHit[] }> => {
      const { purchases } = await client.listPurchases({ orderId }, { signal });
      return {
        hits: purchases.map(({ packageName, purchaseId: id, productId: about, purchaseTime: time }) => ({
          kind: 'purchase',
          id,
          packageName,
          about,
          time,
        })),
      };
    },
  });
