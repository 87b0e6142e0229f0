// npm run bench: reads, token requests, consumes and records per second, and the reads next to those of a reference
// server in the same run. Each number is the median of several rounds.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import {
  type App,
  appNames,
  connections,
  createApps,
  eachOnce,
  purchaseCall,
  readRequests,
  recordPurchases,
  tokenRequests,
} from './apps.ts';
import { type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { median, report } from './report.ts';
import { type Bench, startBench, startProcess } from './servers.ts';

const rounds = 5;
const seconds = 4;
const apps = 50;
const readable = 51_200;
const consumedPerRound = 25_600;
const referenceTokenMs = 3_600_000;
const targets = { timesTheReference: 5, memoryMib: 200 } as const;

/** The reference server reads tokens from a table, as a typical implementation would. */
async function startReference(bench: Bench, created: readonly App[]) {
  const client = new Client(bench.postgres.connection);
  await client.connect();
  await client.query(
    'create table reference_token (token text primary key, package_name text, expires_at bigint)',
  );
  await client.query(
    `insert into reference_token select token, name, $3 from unnest($1::text[], $2::text[]) as t (token, name)`,
    [
      created.map(({ token }) => token),
      created.map(({ packageName }) => packageName),
      Date.now() + referenceTokenMs,
    ],
  );
  await client.query('vacuum analyze');
  await client.end();
  return startProcess(fileURLToPath(new URL('reference-express.ts', import.meta.url)), {
    env: { DATABASE_URL: bench.databaseUrl },
    logFile: join(bench.folder, 'reference.log'),
    readyWords: 'Express',
  });
}

async function main(): Promise<void> {
  await using bench = await startBench();
  const server = await bench.startServer();
  const created = await createApps(server, appNames(apps));
  await recordPurchases(server, created, 'read', readable);
  await using reference = await startReference(bench, created);
  const referenceUrl = reference.output.trim().replace('Express ', '');
  const timed = (url: string, requestsOf: (connection: number) => LoadRequest[]) =>
    runLoad({ url, connections, extent: { seconds }, requestsOf });
  const reads = (connection: number) => readRequests(created, 'read', readable, connection);
  await timed(server.publicUrl, reads);
  await timed(referenceUrl, reads);
  const results: Record<'read' | 'reference' | 'token' | 'record' | 'consume', LoadResult[]> = {
    read: [],
    reference: [],
    token: [],
    record: [],
    consume: [],
  };
  for (let round = 1; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    results.read.push(await timed(server.publicUrl, reads));
    results.reference.push(await timed(referenceUrl, reads));
    results.token.push(await timed(server.publicUrl, () => tokenRequests(created)));
    const name = `round${round}`;
    results.record.push(await recordPurchases(server, created, name, consumedPerRound));
    results.consume.push(
      await eachOnce(server.publicUrl, consumedPerRound, (n) => purchaseCall('consume', created, name, n)),
    );
  }
  const { read, reference: express } = results;
  const perSecond = (of: readonly LoadResult[]) => median(of.map((result) => result.perSecond));
  report('getPurchaseDetails per second', perSecond(read));
  report('  p99, ms', median(read.map(({ p99Ms }) => p99Ms)));
  report('  Express with two queries', perSecond(express));
  const ratios = read.map((result, round) => result.perSecond / (express[round]?.perSecond ?? Number.NaN));
  report('  times the speed of Express', median(ratios), { least: targets.timesTheReference });
  report('getAccessToken (reusable) per second', perSecond(results.token));
  report('recordPurchase per second', perSecond(results.record));
  report('consumePurchase per second', perSecond(results.consume));
  const peakMib = await server.peakMemoryMib();
  if (peakMib !== undefined) report('largest resident memory, MiB', peakMib, { most: targets.memoryMib });
}

await main();
