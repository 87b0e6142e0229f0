// The operator API, called with the cookie of the session. Every page reads and changes the store through these calls.

import { OpenTillError, type OperatorOperations, SessionClient } from '@opentill/client/operator';
import { queryOptions } from '@tanstack/react-query';
import { noteServerDate } from '../runtime/clock.ts';
import { download } from '../runtime/download.ts';
import { dayMs } from '../runtime/durations.ts';
import { origin } from '../runtime/page.ts';
import { fetchNoting } from './connection.ts';

export const client = new SessionClient({
  host: origin,
  allowHttp: true,
  async fetch(url, init) {
    const response = await fetchNoting(url, init);
    noteServerDate(response.headers.get('date'));
    return response;
  },
});

/** Longer than any file takes, in ms. */
const fileTimeoutMs = dayMs;

/**
 * The same calls, each of which saves its response as a CSV file when that is complete. A link would have no `Accept`, and
 * would save an error as a file.
 */
export function savingClient(fileName: string, timeZone: string): SessionClient {
  return new SessionClient({
    host: origin,
    allowHttp: true,
    retriesMax: 0,
    timeoutMs: fileTimeoutMs,
    async fetch(url, init) {
      const headers = { accept: 'text/csv', prefer: `timezone=${timeZone}` };
      const response = await fetchNoting(url, { ...init, headers });
      if (!response.ok) return response;
      download(`${fileName}.csv`, await response.blob());
      return Response.json(null);
    },
  });
}

export type OperationId = keyof OperatorOperations;
type ParametersOf<Operation extends OperationId> = Parameters<OperatorOperations[Operation]>[0];
export type ResultOf<Operation extends OperationId> = Awaited<ReturnType<OperatorOperations[Operation]>>;

/** A call that is not made yet. */
export interface Call<Operation extends OperationId = OperationId> {
  readonly operation: Operation;
  readonly parameters: ParametersOf<Operation>;
}

export function makeCall<Operation extends OperationId>(
  { operation, parameters }: Call<Operation>,
  signal?: AbortSignal,
): Promise<ResultOf<Operation>> {
  const method = client[operation] as unknown as (
    ...given: readonly unknown[]
  ) => Promise<ResultOf<Operation>>;
  return method.call(client, parameters, { signal });
}

/** The result of an operation, until something is changed: `useQuery(callQuery('getApp', { packageName }))`. */
export const callQuery = <Operation extends OperationId>(
  operation: Operation,
  parameters: ParametersOf<Operation>,
) =>
  queryOptions({
    queryKey: [operation, parameters],
    queryFn: ({ signal }) => makeCall({ operation, parameters }, signal),
  });

/** The interval at which pages about the whole store read it again. */
export const refreshEveryMs = 30_000;

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof OpenTillError && error.httpStatus === status;
}

/** Whether a call got no response. */
export function hasNoResponse(error: unknown): boolean {
  return error instanceof OpenTillError && error.httpStatus === undefined && error.problem === undefined;
}

/** Whether the session of a call has ended: a rejected sign-in says nothing about it. */
export function isSessionEnd(error: unknown): boolean {
  return hasStatus(error, 401) && (error as OpenTillError).operation !== 'createSession';
}
