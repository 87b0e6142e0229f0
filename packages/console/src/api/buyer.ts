// What the page of a buyer reads: the newest purchases and subscriptions in all apps.

import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The others are in the lists. */
const pageSize = 50;

export const buyerPurchasesQuery = (buyerId: string) =>
  queryOptions({
    queryKey: ['purchases', 'buyer', buyerId, 'newest'],
    queryFn: ({ signal }) => client.listPurchases({ buyerId, pageSize }, { signal }),
  });

export const buyerSubscriptionsQuery = (buyerId: string) =>
  queryOptions({
    queryKey: ['subscriptions', 'buyer', buyerId],
    queryFn: ({ signal }) => client.listSubscriptions({ buyerId, pageSize }, { signal }),
  });
