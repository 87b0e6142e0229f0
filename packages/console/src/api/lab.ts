// What the lab of an app reads, and the calls that it makes one by one.

import type { AppClock, OperatorOperations, SentCall } from '@opentill/client/operator';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { elapsedMs } from '../runtime/clock.ts';
import { client, clientWith } from './client.ts';
import type { OperationId } from './permission.ts';

/** Queries that change with what happens in the app. */
const labKey = (packageName: string, ...rest: readonly unknown[]) => ['lab', packageName, ...rest];

/** Reads again everything that the lab of an app shows, after a change. */
export function refreshLab(queryClient: QueryClient, packageName: string): void {
  void queryClient.invalidateQueries({ queryKey: labKey(packageName) });
}

/** Causes no event: another operator may set the clock, and a running clock reaches its next stop. */
const refreshEveryMs = 5_000;

/** Calls of the purchase API cause no events here, and come from other clients. */
const requestsEveryMs = 1_000;

/** During an advance, to show how far it is. */
const advancingEveryMs = 300;

export interface ReadClock extends AppClock {
  /** When it was read, by the page's monotonic clock. */
  readonly readAt: number;
}

export const clockQuery = (packageName: string, isAdvancing: boolean) =>
  queryOptions({
    queryKey: labKey(packageName, 'clock'),
    queryFn: async ({ signal }): Promise<ReadClock> => ({
      ...(await client.getClock({ packageName }, { signal })),
      readAt: elapsedMs(),
    }),
    refetchInterval: ({ state }) =>
      isAdvancing || state.data?.advanceTo !== undefined ? advancingEveryMs : refreshEveryMs,
  });

export const upcomingQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'upcoming'),
    queryFn: ({ signal }) => client.listUpcoming({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });

export const faultsQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'faults'),
    queryFn: ({ signal }) => client.getFaults({ packageName }, { signal }),
    refetchInterval: refreshEveryMs,
  });

type RequestFilter = Parameters<OperatorOperations['listRequests']>[0];

export const requestsQuery = (filter: RequestFilter) =>
  queryOptions({
    queryKey: labKey(filter.packageName, 'requests', filter),
    queryFn: ({ signal }) => client.listRequests({ ...filter, pageSize: 50 }, { signal }),
    refetchInterval: requestsEveryMs,
  });

export const deliveriesQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'deliveries'),
    queryFn: ({ signal }) => client.listDeliveries({ packageName, pageSize: 100 }, { signal }),
    refetchInterval: refreshEveryMs,
  });

export const labPurchasesQuery = (packageName: string) =>
  queryOptions({
    queryKey: labKey(packageName, 'purchases'),
    queryFn: ({ signal }) => client.listPurchases({ packageName, pageSize: 20 }, { signal }),
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

/** Makes a call; `onSent` receives it as it is sent. */
export function makeCall(
  { operation, parameters }: LabCall,
  onSent: (sent: SentCall) => void,
): Promise<unknown> {
  const calls = clientWith(onSent) as unknown as Readonly<
    Record<string, (parameters: LabCall['parameters']) => Promise<unknown>>
  >;
  const method = calls[operation];
  if (method === undefined) throw new Error(`The client has no operation ${operation}.`);
  return method.call(calls, parameters);
}
