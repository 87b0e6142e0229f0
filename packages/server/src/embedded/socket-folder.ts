// The folder of PostgreSQL's Unix socket: short, since a socket's path holds about 104 bytes, and new at
// each start, so that nobody else can have made it before.

import { chown, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { explainRefusal } from './explained-refusals.ts';
import type { Place } from './place.ts';

/** Leaves room for our folder and PostgreSQL's file name in the smallest limit of any system. */
const parentBytesMax = 64;

/** Names the file in the socket's folder; without TCP it is no port of the machine. */
const socketPort = 5432;

/** The temporary folder of the machine, or /tmp where that is too deep for a socket. */
export function shortTemporaryFolder(): string {
  return Buffer.byteLength(tmpdir()) <= parentBytesMax ? tmpdir() : '/tmp';
}

/** Where PostgreSQL is to listen; `socketFolder` is undefined where there are no Unix sockets. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly socketFolder: string | undefined;
}

/** Makes a new socket folder, or finds a free loopback port. */
export async function prepareListening(place: Place): Promise<Listening> {
  if (process.platform === 'win32') {
    return { host: '127.0.0.1', port: await findFreePort(), socketFolder: undefined };
  }
  const socketFolder = await explainRefusal(
    `cannot make the folder of PostgreSQL's socket in ${place.socketParent} (set TMPDIR for another)`,
    () => mkdtemp(join(place.socketParent, 'opentill-')),
  );
  if (place.account !== undefined) await chown(socketFolder, place.account.uid, place.account.gid);
  return { host: socketFolder, port: socketPort, socketFolder };
}

/**
 * Makes the socket folder again if it was removed with the PostgreSQL before: a running server's
 * connections go to the same path. Somebody else's folder of that name is a StartProblem.
 */
export async function requireSocketFolder(place: Place, { socketFolder }: Listening): Promise<void> {
  if (socketFolder === undefined) return;
  try {
    await mkdir(socketFolder, { mode: 0o700 });
    if (place.account !== undefined) await chown(socketFolder, place.account.uid, place.account.gid);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  const found = await lstat(socketFolder);
  if (!found.isDirectory() || found.uid !== ownerOf(place) || (found.mode & 0o777) !== 0o700) {
    throw new StartProblem(
      `${socketFolder}, the folder of PostgreSQL's socket, is somebody else's: remove it`,
    );
  }
}

/** Removes a socket folder that no PostgreSQL came to use. */
export async function removeSocketFolder({ socketFolder }: Listening): Promise<void> {
  if (socketFolder !== undefined) await rm(socketFolder, { recursive: true, force: true });
}

/** Notes which folder is in use, so that it can be removed should nobody be left to do it. */
export async function noteSocketFolder(place: Place, { socketFolder }: Listening): Promise<void> {
  if (socketFolder !== undefined) await writeFile(place.socketNotePath, `${socketFolder}\n`, { mode: 0o600 });
}

/** Removes the socket folder of a PostgreSQL that has gone, if it is one that a server of this account made. */
export async function removeAbandonedSocketFolder(place: Place): Promise<void> {
  try {
    const socketFolder = (await readFile(place.socketNotePath, 'utf8')).trim();
    if (!/^opentill-\w{6}$/.test(basename(socketFolder))) return;
    if ((await lstat(socketFolder)).uid !== ownerOf(place)) return;
    await rm(socketFolder, { recursive: true, force: true });
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

function ownerOf(place: Place): number | undefined {
  return place.account?.uid ?? process.getuid?.();
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return address.port;
}
