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
