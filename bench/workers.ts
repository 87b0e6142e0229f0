// npm run bench:workers: reads per second and memory of a server in one process and in two (OPENTILL_WORKERS), in
// alternating rounds on one PostgreSQL. With two processors, PostgreSQL and the load generator take most of the second.

import { waitFor } from '../packages/server/test/wait-for.ts';
import { appNames, connections, createApps, readRequests, recordPurchases } from './apps.ts';
import { runLoad } from './load.ts';
import { median, report } from './report.ts';
import { type Listeners, startBench } from './servers.ts';

const rounds = 5;
const seconds = 4;
const apps = 50;
const readable = 12_800;
const startWithinMs = 30_000;
const bytesPerMib = 1_048_576;

async function metric({ operatorUrl }: Listeners, name: string): Promise<number> {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

await using bench = await startBench();
const one = await bench.startServer();
const two = await bench.startServer({ OPENTILL_WORKERS: '2' });
const servers = [
  { workers: 1, server: one, results: [] as number[] },
  { workers: 2, server: two, results: [] as number[] },
];
await waitFor(async () => (await metric(two, 'opentill_workers')) === 2, {
  deadlineMs: startWithinMs,
  what: 'two workers',
});
const created = await createApps(one, appNames(apps));
await recordPurchases(one, created, 'read', readable);
for (let round = 0; round <= rounds; round += 1) {
  for (const { server, results } of servers) {
    const { perSecond } = await runLoad({
      url: server.publicUrl,
      connections,
      extent: { seconds },
      requestsOf: (connection) => readRequests(created, 'read', readable, connection),
    });
    // The first round warms up.
    if (round > 0) results.push(perSecond);
  }
}
for (const { workers, server, results } of servers) {
  report(`getPurchaseDetails per second, OPENTILL_WORKERS=${workers}`, median(results));
  report('  resident memory, MiB', (await metric(server, 'process_resident_memory_bytes')) / bytesPerMib);
}
