// What was sold, renewed and voided, by day, week or month.

import type { OperatorOperations } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

type StatisticsParameters = Parameters<OperatorOperations['getStatistics']>[0];

/** Of every page about the whole store. */
export const refreshEveryMs = 30_000;

export const statisticsQuery = (parameters: StatisticsParameters) =>
  queryOptions({
    queryKey: ['statistics', parameters],
    queryFn: ({ signal }) => client.getStatistics(parameters, { signal }),
    refetchInterval: refreshEveryMs,
  });
