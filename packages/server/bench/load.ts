// The load: autocannon with a prepared list of requests for each connection, so that making them costs nothing
// while it runs.

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

/** Runs for a time or for a number of requests; every answer has to be a success. */
export async function runLoad(load: {
  readonly url: string;
  readonly connections: number;
  readonly extent: { readonly seconds: number } | { readonly requests: number };
  readonly requestsOf: (connection: number) => LoadRequest[];
}): Promise<LoadResult> {
  let connection = 0;
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    ...('seconds' in load.extent ? { duration: load.extent.seconds } : { amount: load.extent.requests }),
    setupClient(client) {
      client.setRequests(load.requestsOf(connection) as autocannon.Request[]);
      connection += 1;
    },
  });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0) throw new Error(`${failures} calls of ${load.url} failed under load.`);
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
