// npm run bench:cluster: reads, records and consumes per second on one PostgreSQL (DATABASE_URL) and on a Citus cluster
// (CLUSTER_DATABASE_URL), in alternating rounds. Both databases are empty but for `opentill database migrate`, and the
// cluster's is distributed.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type App,
  appNames,
  connections,
  createApps,
  purchaseCall,
  readRequests,
  recordPurchases,
} from './apps.ts';
import { type LoadResult, runLoad } from './load.ts';
import { median, report } from './report.ts';
import { type Listeners, serverSettings, startProcess } from './servers.ts';

const rounds = 3;
const seconds = 3;
const apps = 20;
const readable = 1_280;
const writtenPerRound = 1_280;

const program = fileURLToPath(new URL('../packages/server/bin/opentill.cjs', import.meta.url));
const urls = {
  'one PostgreSQL': process.env['DATABASE_URL'],
  'a Citus cluster': process.env['CLUSTER_DATABASE_URL'],
};

interface Subject {
  readonly name: string;
  readonly server: Listeners;
  readonly created: readonly App[];
  readonly results: Record<'read' | 'record' | 'consume', LoadResult[]>;
}

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const subjects: Subject[] = [];
  for (const [name, url] of Object.entries(urls)) {
    if (url === undefined) throw new Error('Set DATABASE_URL and CLUSTER_DATABASE_URL.');
    const logFile = join(folder, `${subjects.length}.log`);
    const process = stack.use(
      await startProcess(program, { env: serverSettings(url), logFile, readyWords: 'documentation' }),
    );
    const urlOf = (api: string) => new RegExp(`${api}\\s+(http://[^\\s/]+)`).exec(process.output)?.[1] ?? '';
    const server = { publicUrl: urlOf('purchase API'), operatorUrl: urlOf('operator API') };
    const created = await createApps(server, appNames(apps));
    await recordPurchases(server, created, 'read', readable);
    subjects.push({ name, server, created, results: { read: [], record: [], consume: [] } });
  }
  for (let round = 0; round <= rounds; round += 1) {
    for (const subject of subjects) await measure(subject, round);
  }
  for (const { name, results } of subjects) {
    for (const [call, measured] of Object.entries(results)) {
      // The first round fills caches.
      report(`${name}: ${call}s per second`, median(measured.slice(1).map(({ perSecond }) => perSecond)));
    }
  }
}

async function measure({ server, created, results }: Subject, round: number): Promise<void> {
  const url = server.publicUrl;
  const requestsOf = (connection: number) => readRequests(created, 'read', readable, connection);
  results.read.push(await runLoad({ url, connections, extent: { seconds }, requestsOf }));
  const name = `round${round}`;
  results.record.push(await recordPurchases(server, created, name, writtenPerRound));
  results.consume.push(
    await runLoad({
      url,
      connections,
      extent: { requests: writtenPerRound },
      requestsOf: (connection) =>
        Array.from({ length: writtenPerRound / connections }, (_, index) =>
          purchaseCall('consume', created, name, index * connections + connection),
        ),
    }),
  );
}

await main();
