// What the lab of an app reads, and the calls that it makes one by one.

import type { AppClockWithStops, OperatorOperations } from '@opentill/client/operator';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { elapsedMs } from '../runtime/clock.ts';
import { client } from './client.ts';
import type { OperationId } from './permission.ts';

/** Queries that change with what happens in the app. */
const labKey = (packageName: string, ...rest: readonly unknown[]) => ['lab', packageName, ...rest];

/** Reads again everything that the lab of an app shows, after a change. */
export function refreshLab(queryClient: QueryClient, packageName: string): void {
  void queryClient.invalidateQueries({ queryKey: labKey(packageName) });
}

/** The lab is read at this interval: the backend, the webhook and other operators change it at any time. */
export const labEveryMs = 2_000;

/** During an advance, to show how far it is. */
const advancingEveryMs = 300;

export interface ReadClock extends AppClockWithStops {
  /** When it was read, by the page's monotonic clock. */
  readonly readAt: number;
}

export const clockQuery = (packageName: string, isAdvancing = false) =>
  queryOptions({
    queryKey: labKey(packageName, 'clock'),
    queryFn: async ({ signal }): Promise<ReadClock> => ({
      ...(await client.getClock({ packageName }, { signal })),
      readAt: elapsedMs(),
    }),
    refetchInterval: ({ state }) =>
      isAdvancing || state.data?.advanceTo !== undefined ? advancingEveryMs : labEveryMs,
  });

export const faultsQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'faults'),
    queryFn: ({ signal }) => client.getFaults({ packageName }, { signal }),
    refetchInterval: labEveryMs,
  });

export type RequestFilter = Parameters<OperatorOperations['listRequests']>[0];

export const requestsQuery = (filter: RequestFilter) =>
  queryOptions({
    queryKey: labKey(filter.packageName, 'requests', filter),
    queryFn: ({ signal }) => client.listRequests({ ...filter, pageSize: 100 }, { signal }),
    refetchInterval: labEveryMs,
  });

export const deliveriesQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'deliveries'),
    queryFn: ({ signal }) => client.listDeliveries({ packageName, pageSize: 100 }, { signal }),
    refetchInterval: labEveryMs,
  });

export const labPurchasesQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'purchases'),
    queryFn: ({ signal }) => client.listPurchases({ packageName, pageSize: 20 }, { signal }),
    refetchInterval: labEveryMs,
  });

export const labProductsQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'products'),
    queryFn: ({ signal }) => client.listProducts({ packageName, pageSize: 200 }, { signal }),
  });

type ParametersOf<Operation extends OperationId> = Parameters<OperatorOperations[Operation]>[0];

/** A call that is not made yet. */
export interface LabCall {
  readonly operation: OperationId;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export function labCall<Operation extends OperationId>(
  operation: Operation,
  parameters: ParametersOf<Operation>,
): LabCall {
  return { operation, parameters: parameters as LabCall['parameters'] };
}

/** Makes a call. */
export function makeCall({ operation, parameters }: LabCall): Promise<unknown> {
  const method: unknown = client[operation];
  if (typeof method !== 'function') throw new Error(`The client has no operation ${operation}.`);
  return method.call(client, parameters);
}
