// The load generator: autocannon with a prepared list of requests for each connection, so that creating them costs
// nothing during the run.

import autocannon from 'autocannon';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  /** How long or how many; with `perSecond` the rate is fixed, and a stall counts for every call that it delays. */
  readonly extent: { readonly seconds: number; readonly perSecond?: number } | { readonly requests: number };
  readonly requestsOf: (connection: number) => readonly LoadRequest[];
}

/** @throws if any response is not a success. */
export async function runLoad({ url, connections, extent, requestsOf }: Load): Promise<LoadResult> {
  let connection = 0;
  const options: autocannon.Options = {
    url,
    connections,
    ...('requests' in extent ? { amount: extent.requests } : { duration: extent.seconds }),
    setupClient(client) {
      client.setRequests([...requestsOf(connection)] as autocannon.Request[]);
      connection += 1;
    },
  };
  const isSteady = 'perSecond' in extent && extent.perSecond !== undefined;
  const result = await autocannon({ ...options, ...(isSteady && { overallRate: extent.perSecond }) });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} calls to ${url} failed under load`);
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
