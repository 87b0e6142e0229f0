// npm run bench:reads <folder>: the processor time that a call takes of a server of this checkout, of one of another
// checkout, and of bare Fastify, in alternating rounds. It changes less with the load of the machine than rates do.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appNames, connections, createApps, readRequests, recordPurchases } from './apps.ts';
import { type LoadRequest, type LoadResult, runLoad } from './load.ts';
import { median } from './report.ts';
import { type BenchProcess, serverSettings, startBench, startProcess, startServer } from './servers.ts';

const rounds = 11;
const seconds = 1;
const appCount = 20;
const readable = 5_120;
const recordedPerRound = 1_280;
const usPerMs = 1_000;

type Sample = Readonly<Record<string, number>>;
type Requests = (connection: number) => LoadRequest[];

interface Subject extends AsyncDisposable {
  measure(): Promise<Sample>;
}

async function spentUs(process: BenchProcess, load: () => Promise<LoadResult>): Promise<number> {
  const before = await process.processorMs();
  const { count } = await load();
  return (((await process.processorMs()) - before) * usPerMs) / count;
}

const timed = (process: BenchProcess, url: string, requestsOf: Requests): Promise<number> =>
  spentUs(process, () => runLoad({ url, connections, extent: { seconds }, requestsOf }));

/** Two servers of a checkout on a database of their own, of which one trusts a proxy. */
async function startSubject(checkout: string): Promise<Subject> {
  await using starting = new AsyncDisposableStack();
  const bench = starting.use(await startBench());
  const start = async (name: string, settings: Readonly<Record<string, string>>) => {
    const env = { ...serverSettings, DATABASE_URL: bench.databaseUrl, ...settings };
    return starting.use(await startServer({ checkout, env, logFile: join(bench.folder, `${name}.log`) }));
  };
  const direct = await start('direct', {});
  const proxied = await start('proxied', { OPENTILL_TRUSTED_PROXIES: 'loopback' });
  const apps = await createApps(direct, appNames(appCount));
  await recordPurchases(direct, apps, 'read', readable);
  const reads: Requests = (connection) => readRequests(apps, 'read', readable, connection);
  const forwardedReads: Requests = (connection) =>
    reads(connection).map(({ headers, ...request }) => ({
      ...request,
      headers: { ...headers, 'x-forwarded-for': '198.51.100.7' },
    }));
  const started = starting.move();
  let recorded = 0;
  const drawn = () => {
    recorded += 1;
    return { productId: 'coins', purchaseId: undefined, orderId: `order-${recorded}` };
  };
  return {
    measure: async () => ({
      'a read': await timed(direct, direct.publicUrl, reads),
      'a read behind a proxy': await timed(proxied, proxied.publicUrl, forwardedReads),
      'a record with a drawn id': await spentUs(direct, () =>
        recordPurchases(direct, apps, 'drawn', recordedPerRound, drawn),
      ),
    }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Serves a response of the same size. */
async function startFastify(): Promise<Subject> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const script = fileURLToPath(new URL('reference-fastify.ts', import.meta.url));
  const logFile = join(folder, 'fastify.log');
  const process = starting.use(await startProcess(script, { env: {}, logFile, readyWords: 'Fastify' }));
  const url = process.output.trim().replace('Fastify ', '');
  const app = { packageName: 'com.bench.app0', token: 'x'.repeat(36), form: '' };
  const reads: Requests = (connection) => readRequests([app], 'read', readable, connection);
  const started = starting.move();
  return {
    measure: async () => ({ 'a read': await timed(process, url, reads) }),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

function print(name: string, values: readonly (number | string)[]): void {
  const cells = values.map((value) => (typeof value === 'string' ? value : value.toFixed(2)).padStart(14));
  process.stdout.write(`${name.padEnd(32)}${cells.join('')}\n`);
}

async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: npm run bench:reads <folder of another checkout>');
  await using stack = new AsyncDisposableStack();
  const subjects = [
    stack.use(await startSubject(resolve(folder))),
    stack.use(await startSubject(fileURLToPath(new URL('..', import.meta.url)))),
    stack.use(await startFastify()),
  ];
  const samples = subjects.map((): Sample[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    for (const index of round % 2 === 0 ? [0, 1, 2] : [2, 1, 0]) {
      const sample = await (subjects[index] as Subject).measure();
      // The first round warms the servers.
      if (round > 0) samples[index]?.push(sample);
    }
  }
  const [before = [], after = [], bare = []] = samples;
  print('us of the processor', ['other', 'this', 'this / other', 'bare Fastify']);
  for (const name of Object.keys(before[0] ?? {})) {
    const of = (sample: Sample | undefined) => sample?.[name] ?? Number.NaN;
    const ratio = median(after.map((sample, round) => of(sample) / of(before[round])));
    const medians = [before, after].map((each) => median(each.map(of)));
    print(name, [...medians, ratio, of(bare[0]) > 0 ? median(bare.map(of)) : '']);
  }
}

await main();
