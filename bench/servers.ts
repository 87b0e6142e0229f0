// Starts what every benchmark runs on: the bundled PostgreSQL in a temporary folder, and servers of this checkout.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../packages/server/src/embedded/start-embedded-postgres.ts';
import { databaseUrlOf } from '../test/support/database-url.ts';
import { removeDataFolder } from '../test/support/embedded/scratch.ts';
import { waitFor } from '../test/support/wait-for.ts';

const kibPerMib = 1_024;

export const adminKey = 'benchmark-admin-key-0123456789abcdef';

/** A process under load; its output goes to a file, so that reading it does not slow the load generator. */
export interface BenchProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly output: string;
  /** The largest resident memory so far; undefined if the system does not report it. */
  peakMemoryMib(): Promise<number | undefined>;
  /** The processor time of its threads so far, in ms. */
  processorMs(): Promise<number>;
}

export interface Listeners {
  readonly publicUrl: string;
  readonly operatorUrl: string;
}

export type BenchServer = BenchProcess & Listeners;

export interface Bench extends AsyncDisposable {
  readonly folder: string;
  readonly postgres: EmbeddedPostgres;
  readonly databaseUrl: string;
  /** Starts a server on the database, by default in production. */
  startServer(settings?: Readonly<Record<string, string>>): Promise<BenchServer>;
}

export async function startBench(): Promise<Bench> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, 'data');
  starting.defer(() => removeDataFolder(dataFolder));
  const postgres = await startEmbeddedPostgres({ dataFolder });
  starting.defer(() => postgres.stop());
  const databaseUrl = databaseUrlOf(postgres.connection);
  const started = starting.move();
  let servers = 0;
  return {
    folder,
    postgres,
    databaseUrl,
    async startServer(settings = {}) {
      servers += 1;
      const env = { ...serverSettings, DATABASE_URL: databaseUrl, ...settings };
      return started.use(await startServer({ env, logFile: join(folder, `server-${servers}.log`) }));
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Production on free ports. */
export const serverSettings = {
  OPENTILL_ENVIRONMENT: 'production',
  OPENTILL_PORT: '0',
  OPENTILL_OPERATOR_PORT: '0',
  OPENTILL_OPERATOR_KEYS: `root:admin:${adminKey}`,
  OPENTILL_TOKEN_KEYS: `1:${Buffer.alloc(32, 1).toString('base64url')}`,
} as const;

/** Starts the server of a checkout, by default of this one. */
export async function startServer({
  checkout = fileURLToPath(new URL('..', import.meta.url)),
  program = join(checkout, 'packages/server/bin/opentill.cjs'),
  ...start
}: {
  readonly checkout?: string;
  readonly program?: string;
  readonly isWatched?: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}): Promise<BenchServer> {
  const server = await startProcess(program, { ...start, readyWords: 'documentation' });
  const urlOf = (name: string) => new RegExp(`${name}\\s+(http://[^\\s/]+)`).exec(server.output)?.[1] ?? '';
  return { ...server, publicUrl: urlOf('purchase API'), operatorUrl: urlOf('operator API') };
}

/** The flags of `npm start`. */
const heapFlags = ['--min-semi-space-size=8', '--max-semi-space-size=8', '--heap-growing-percent=30'];

/** Starts a program and waits until it has printed `readyWords`. */
export async function startProcess(
  script: string,
  start: {
    readonly env: Readonly<Record<string, string>>;
    readonly logFile: string;
    readonly readyWords: string;
    /** It may collect garbage at will, and messages are sent to it and from it. */
    readonly isWatched?: boolean;
  },
): Promise<BenchProcess> {
  const log = await open(start.logFile, 'w');
  const env = { PATH: process.env['PATH'], ...start.env };
  const { isWatched = false } = start;
  const flags = [...heapFlags, ...(isWatched ? ['--expose-gc'] : [])];
  const child = spawn(process.execPath, [...flags, script], {
    env,
    stdio: ['ignore', log.fd, 'inherit', ...(isWatched ? (['ipc'] as const) : [])],
  });
  await log.close();
  const output = await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${script} exited with ${child.exitCode}`);
      const text = await readFile(start.logFile, 'utf8');
      return text.includes(start.readyWords) ? text : undefined;
    },
    { what: `the start of ${script}` },
  );
  return {
    child,
    output,
    peakMemoryMib: () => readPeakMemory(child),
    processorMs: () => readProcessorMs(child),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export async function readPeakMemory({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  return kib === undefined ? undefined : Math.round(Number(kib) / kibPerMib);
}

/** Linux counts in ticks of 10 ms. */
const msPerTick = 10;

async function readProcessorMs({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name in brackets, which may contain spaces, utime and stime are the 12th and 13th.
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) * msPerTick;
}
