// A tablespace in memory for the databases of the test files, if the system has such a file system. Each database has about
// 470 files, and creating files on a disk is slow shortly after others were deleted.

import { chown, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { isSystemError } from '../src/runtime/system-errors.ts';

const memory = '/dev/shm';

/** The free space that is needed: many times the size of the databases of concurrent test files. */
const freeBytesMin = 2 ** 31;

/** Returns the clause for creating a database, and adds the folders to remove after PostgreSQL has ended to `stack`. */
export async function tablespaceClause(
  client: Client,
  options: { readonly clusterFolder: string; readonly stack: AsyncDisposableStack },
): Promise<string> {
  if (!(await hasRoom())) return '';
  const location = await mkdtemp(join(memory, 'opentill-test-'));
  options.stack.defer(() => rm(location, { recursive: true }));
  // If root runs the tests, PostgreSQL runs as another account.
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
