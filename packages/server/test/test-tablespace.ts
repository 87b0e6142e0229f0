// Where the databases of the test files lie: in memory, where a system has that as a file system. Each is some 470
// files, and on a disk a new file takes the longer the more others were deleted shortly before.

import { chown, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { isSystemError } from '../src/runtime/system-errors.ts';

const memory = '/dev/shm';

/** Bytes that have to be free: many times what the databases of some test files at once take. */
const freeBytesMin = 2 ** 31;

/** Gives the clause that a database is created with, and adds to `stack` what has to be removed after PostgreSQL. */
export async function tablespaceClause(
  client: Client,
  options: { readonly clusterFolder: string; readonly stack: AsyncDisposableStack },
): Promise<string> {
  if (!(await hasRoom())) return '';
  const location = await mkdtemp(join(memory, 'opentill-test-'));
  options.stack.defer(() => rm(location, { recursive: true }));
  // When root runs the tests, PostgreSQL is somebody else.
  const { uid, gid } = await stat(options.clusterFolder);
  await chown(location, uid, gid);
  await client.query(`create tablespace in_memory location '${location}'`);
  return 'tablespace in_memory';
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory);
    return bavail * bsize >= freeBytesMin;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
