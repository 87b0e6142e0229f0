// The load generator: autocannon with a prepared list of requests for each connection, so that creating them costs
// nothing during the run.

import autocannon from 'autocannon';

export interface LoadResult {
  readonly count: number;
  readonly perSecond: number;
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

/** A busy machine may stall a server for seconds, which must count as latency rather than as a failure. */
const timeoutSeconds = 60;

/** @throws if any response is not a success */
export async function runLoad({ url, connections, extent, requestsOf }: Load): Promise<LoadResult> {
  let connection = 0;
  // autocannon ends a run, and its duration, at a full second.
  const begun = performance.now();
  let lastResponse = begun;
  const options: autocannon.Options = {
    url,
    connections,
    timeout: timeoutSeconds,
    ...('requests' in extent ? { amount: extent.requests } : { duration: extent.seconds }),
    setupClient(client) {
      client.setRequests([...requestsOf(connection)] as autocannon.Request[]);
      connection += 1;
      client.on('response', () => {
        lastResponse = performance.now();
      });
    },
  };
  const isSteady = 'perSecond' in extent && extent.perSecond !== undefined;
  const result = await autocannon({ ...options, ...(isSteady && { overallRate: extent.perSecond }) });
  const failures = [
    ...Object.entries(result.statusCodeStats ?? {}).filter(([status]) => !status.startsWith('2')),
    ['connection errors', { count: result.errors - result.timeouts }] as const,
    ['timeouts', { count: result.timeouts }] as const,
  ].filter(([, { count = 0 }]) => count > 0);
  if (failures.length > 0) {
    const counts = failures.map(([kind, { count }]) => `${kind}: ${count}`);
    throw new Error(`calls to ${url} failed under load (${counts.join(', ')})`);
  }
  const count = result['2xx'];
  return { count, perSecond: (count * 1_000) / (lastResponse - begun), p99Ms: result.latency.p99 };
}
