// A Citus cluster of three PostgreSQL nodes on this machine, where PostgreSQL with Citus is installed.

import { execFile } from 'node:child_process';
import { appendFile, chown, glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientConfig } from 'pg';
import {
  type Account,
  isRoot,
  requireUnprivilegedAccount,
} from '../../../packages/server/src/embedded/data-folder.ts';
import { minimalEnvironment } from '../../../packages/server/src/embedded/postgres-settings.ts';
import { findPostmaster } from '../../../packages/server/src/embedded/postmaster.ts';
import { exists } from '../../../packages/server/src/runtime/files.ts';
import { isSystemError } from '../../../packages/server/src/runtime/system-errors.ts';
import { freePort } from '../documents/free-port.ts';

const nodeCount = 3;

/** A killed PostgreSQL recovers first, which takes long on a busy machine. */
const commandTimeoutMs = 60_000;

/** In PATH, and where Debian, Red Hat, Homebrew and PostgreSQL's own build put it. */
const pgConfigs = [
  '/usr/lib/postgresql/*/bin/pg_config',
  '/usr/pgsql-*/bin/pg_config',
  '/opt/homebrew/opt/postgresql*/bin/pg_config',
  '/usr/local/pgsql/bin/pg_config',
];

/** As many connections as concurrent test files need, and what moving a shard while it is written to needs. */
const settings = `
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 300
max_prepared_transactions = 600
max_worker_processes = 32
wal_level = logical
`;

export const citusMissing = 'PostgreSQL with Citus is not installed on this machine.';

/** What starts and kills the nodes, whose data is in folders named by their ports. */
export interface NodePrograms {
  readonly binaries: string;
  readonly folder: string;
  /** Runs the nodes if root runs the tests. */
  readonly account: Account | undefined;
}

export interface CitusNodes extends AsyncDisposable {
  readonly programs: NodePrograms;
  /** The coordinator first. */
  readonly nodes: readonly ClientConfig[];
}

const run = promisify(execFile);

/** The folder of the programs of a PostgreSQL that has Citus. */
async function findBinaries(): Promise<string | undefined> {
  const found = ['pg_config', ...(await Array.fromAsync(glob(pgConfigs)))];
  for (const program of found) {
    try {
      const { stdout } = await run(program, ['--bindir', '--sharedir']);
      const [binaries = '', shared = ''] = stdout.split('\n');
      if (await exists(join(shared, 'extension/citus.control'))) return binaries;
    } catch (error) {
      if (!isSystemError(error, 'ENOENT')) throw error;
    }
  }
  return undefined;
}

function runProgram({ binaries, folder, account }: NodePrograms, name: string, args: readonly string[]) {
  const options = { cwd: folder, env: minimalEnvironment, timeout: commandTimeoutMs, ...account };
  return run(join(binaries, name), args, options);
}

const dataOf = ({ folder }: NodePrograms, port: number) => join(folder, String(port));

/** Kills a node at once, as a crash of its machine would. */
export async function stopNode(programs: NodePrograms, port: number): Promise<void> {
  await runProgram(programs, 'pg_ctl', ['-D', dataOf(programs, port), '-m', 'immediate', 'stop']);
}

export async function startNode(programs: NodePrograms, port: number): Promise<void> {
  const data = dataOf(programs, port);
  await runProgram(programs, 'pg_ctl', ['-D', data, '-l', `${data}.log`, 'start']);
}

async function createNode(programs: NodePrograms, port: number, isDurable: boolean): Promise<void> {
  const data = dataOf(programs, port);
  const args = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await runProgram(programs, 'initdb', ['-D', data, ...args]);
  const own = `port = ${port}\nfsync = ${isDurable ? 'on' : 'off'}\n`;
  await appendFile(join(data, 'postgresql.conf'), settings + own);
}

/** Starts the nodes, which are stopped and removed at the end. Returns undefined on a machine without Citus. */
export async function startCitusNodes({
  isDurable,
}: {
  readonly isDurable: boolean;
}): Promise<CitusNodes | undefined> {
  const binaries = await findBinaries();
  if (binaries === undefined) return undefined;
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'opentill-citus-'));
  starting.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const account = isRoot() ? await requireUnprivilegedAccount() : undefined;
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const programs = { binaries, folder, account };
  const ports = await Promise.all(Array.from({ length: nodeCount }, freePort));
  for (const port of ports) {
    await createNode(programs, port, isDurable);
    starting.defer(async () => {
      if ((await findPostmaster(dataOf(programs, port))) !== undefined) await stopNode(programs, port);
    });
    await startNode(programs, port);
  }
  const running = starting.move();
  return {
    programs,
    nodes: ports.map((port) => ({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
