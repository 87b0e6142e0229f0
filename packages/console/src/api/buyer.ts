// The newest subscriptions of a buyer in all apps.

import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** The others are in the list. */
const pageSize = 50;

export const buyerSubscriptionsQuery = (buyerId: string) =>
  queryOptions({
    queryKey: ['subscriptions', 'buyer', buyerId],
    queryFn: ({ signal }) => client.listSubscriptions({ buyerId, pageSize }, { signal }),
  });
