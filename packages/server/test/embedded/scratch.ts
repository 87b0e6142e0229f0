// Folders for tests of the bundled PostgreSQL, and what is running on them.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, Pool } from 'pg';
import { rootHome } from '../../src/embedded/place.ts';
import { listCommandLines, listPostgresProcesses } from '../../src/embedded/processes.ts';
import { isWatcherOf } from '../../src/embedded/watcher-order.ts';
import { isSystemError } from '../../src/runtime/system-errors.ts';

export interface Scratch extends AsyncDisposable {
  readonly path: string;
  readonly dataFolder: string;
  /** What a kill may not lose the system keeps, and only a power loss takes: no test waits for the disk. */
  readonly isDurable: false;
}

/** A new folder of mode 0700; all that a server started by root kept elsewhere goes with it. */
export async function makeScratch(): Promise<Scratch> {
  const path = await mkdtemp(join(tmpdir(), 'opentill-test-'));
  const dataFolder = join(path, 'data');
  return {
    path,
    dataFolder,
    isDurable: false,
    async [Symbol.asyncDispose]() {
      await removeDataFolder(dataFolder);
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Removes a data folder and, if root started a server on it, the data that lies below rootHome. */
export async function removeDataFolder(dataFolder: string): Promise<void> {
  const base = dirname(await findClusterFolder(dataFolder));
  if (base.startsWith(`${rootHome}/`)) await rm(base, { recursive: true, force: true, maxRetries: 5 });
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
}

export async function findClusterFolder(dataFolder: string): Promise<string> {
  try {
    const [path] = (await readFile(join(dataFolder, 'postgres.location'), 'utf8')).split('\n');
    return path ?? '';
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return join(dataFolder, 'postgres');
    throw error;
  }
}

/** The process ids of all that belongs to a cluster: watcher, guard, postmaster and its backends. */
export async function findProcessesOf(clusterFolder: string): Promise<number[]> {
  const named = (await listCommandLines())
    .filter(({ commandLine }) => commandLine.includes(clusterFolder))
    .map(({ pid }) => pid);
  return [...new Set([...named, ...listPostgresProcesses(clusterFolder)])];
}

export async function findProcess(
  clusterFolder: string,
  kind: 'watcher' | 'guard',
): Promise<number | undefined> {
  const isIt = (commandLine: string) =>
    kind === 'watcher'
      ? isWatcherOf(clusterFolder, commandLine)
      : / opentill-guard /.test(commandLine) && commandLine.includes(clusterFolder);
  const found = (await listCommandLines()).find(({ commandLine }) => isIt(commandLine));
  return found?.pid;
}

export async function requireProcess(clusterFolder: string, kind: 'watcher' | 'guard'): Promise<number> {
  const pid = await findProcess(clusterFolder, kind);
  if (pid === undefined) throw new Error(`no ${kind} of ${clusterFolder}`);
  return pid;
}

/** By what they connect to. */
const pools = new Map<string, Pool>();

/** A test that asks again and again then has its connection, and one that does not leaves none open for long. */
const idleTimeoutMillis = 500;

/** Runs one statement, on a connection that nobody else uses meanwhile. */
export async function query(
  connection: object,
  sql: string,
  values?: readonly unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: the rows are what is tested
): Promise<any[]> {
  const key = JSON.stringify(connection);
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = new Pool({
      ...connection,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis,
      allowExitOnIdle: true,
    });
    pool.on('error', () => undefined);
    pools.set(key, pool);
  }
  return (await pool.query(sql, values && [...values])).rows;
}

/** The same on a connection of its own: a new one shows that PostgreSQL runs, one that is kept may outlive it. */
export async function queryAnew(connection: object, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
