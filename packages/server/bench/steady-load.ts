// A load of a fixed rate: calls begin when the schedule says so, however long the answers before take, and a
// latency counts from then on. So a server that stalls is charged for every call that it lets wait.

import { Agent, request } from 'node:http';
import { pause } from '../src/runtime/pause.ts';
import type { LoadRequest, LoadResult } from './load.ts';

const sockets = 64;
const tickMs = 1;
const msPerSecond = 1_000;

export interface SteadyLoad {
  readonly urls: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  readonly requests: readonly LoadRequest[];
}

/** Sends the calls to the servers in turn; every answer has to be a success. */
export async function runSteadyLoad(load: SteadyLoad): Promise<LoadResult> {
  const { urls, perSecond, seconds, requests } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const latencies: number[] = [];
  const calls: Promise<void>[] = [];
  const total = perSecond * seconds;
  const begun = performance.now();
  for (let sent = 0; sent < total; ) {
    const now = performance.now();
    for (; sent < total && begun + (sent * msPerSecond) / perSecond <= now; sent += 1) {
      const at = begun + (sent * msPerSecond) / perSecond;
      const url = urls[sent % urls.length] as string;
      const one = requests[sent % requests.length] as LoadRequest;
      calls.push(callOnce(url, one, agent).then(() => void latencies.push(performance.now() - at)));
    }
    await pause(tickMs);
  }
  await Promise.all(calls);
  agent.destroy();
  const sorted = latencies.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  return {
    perSecond: (total * msPerSecond) / (performance.now() - begun),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function callOnce(url: string, { method, path, headers }: LoadRequest, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${path} was answered with ${response.statusCode} under load.`));
      });
    });
    call.on('error', reject);
    call.end();
  });
}
