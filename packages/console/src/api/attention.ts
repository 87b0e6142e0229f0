// What needs attention in the whole store.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type AttentionRow = Awaited<ReturnType<OperatorOperations['listAttention']>>['rows'][number];

const refreshEveryMs = 30_000;

export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: ({ signal }) => client.listAttention({}, { signal }),
  refetchInterval: refreshEveryMs,
});
