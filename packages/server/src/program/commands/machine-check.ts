// Checks the limits of a machine or a container that a server and its bundled PostgreSQL need.

import { access, constants, statfs } from 'node:fs/promises';
import { isRoot, socketParent } from '../../embedded/data-folder.ts';
import { openFilesMax, openFilesMin } from '../../http/listener/listening.ts';
import { type CheckResult, failed, ok } from '../../runtime/start-problem.ts';
import { isSystemError } from '../../runtime/system-errors.ts';

/** PostgreSQL keeps statistics and the work of parallel queries in shared memory, and needs 1 MB to start. */
const sharedMemoryBytesMin = 8 * 1024 * 1024;

interface MachineUser {
  /** With a database elsewhere, no PostgreSQL runs here. */
  readonly databaseUrl: string | undefined;
  /** Set by tests. */
  readonly sharedMemory?: string;
}

export async function checkMachine({
  databaseUrl,
  sharedMemory = '/dev/shm',
}: MachineUser): Promise<CheckResult> {
  const name = 'machine';
  const ofPostgres = async () => (await problemOfMemory(sharedMemory)) ?? (await problemOfSockets());
  const problem = problemOfFiles() ?? (databaseUrl === undefined ? await ofPostgres() : undefined);
  return problem === undefined ? ok(name, 'open files, shared memory') : failed(name, problem);
}

function problemOfFiles(): string | undefined {
  const filesMax = openFilesMax();
  if (filesMax >= openFilesMin) return undefined;
  return `The limit of open files is ${filesMax}, and a server needs ${openFilesMin}: raise it (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of a container).`;
}

/** PostgreSQL does without it where it does not exist. */
async function problemOfMemory(folder: string): Promise<string | undefined> {
  const found = await statfs(folder).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  });
  const bytes = found === undefined ? sharedMemoryBytesMin : found.blocks * found.bsize;
  if (bytes >= sharedMemoryBytesMin) return undefined;
  return `${folder} has ${bytes} bytes, and PostgreSQL needs ${sharedMemoryBytesMin}: enlarge it (--shm-size of a container), or set DATABASE_URL.`;
}

/** For root, the socket is next to the data. */
async function problemOfSockets(): Promise<string | undefined> {
  if (process.platform === 'win32' || isRoot()) return undefined;
  try {
    await access(socketParent(), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `The folder of PostgreSQL's socket cannot be created in ${socketParent()}: ${(error as Error).message}. Set TMPDIR to another folder.`;
  }
}
