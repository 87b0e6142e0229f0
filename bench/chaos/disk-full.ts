// The disk of PostgreSQL is full for ten seconds: calls get 503, and the server serves again as soon as there is room.
// Mounting a small disk needs root on Linux.

import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSystemError } from '../../packages/server/src/runtime/system-errors.ts';
import { startBundledStore } from './bundled-store.ts';
import { untilFaultEnds } from './store-checks.ts';

const run = promisify(execFile);

/** PostgreSQL's files and some of its write-ahead log. */
const diskMib = 160;
const pieceBytes = 65_536;

/** Moves a folder to a small disk that is mounted in its place. */
async function moveToSmallDisk(folder: string): Promise<AsyncDisposable> {
  const copy = await mkdtemp(join(tmpdir(), 'opentill-chaos-'));
  const { uid, gid } = await stat(folder);
  await run('cp', ['-a', `${folder}/.`, copy]);
  await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${diskMib}m,mode=0700,uid=${uid},gid=${gid}`,
    'opentill',
    folder,
  ]);
  await run('cp', ['-a', `${copy}/.`, folder]);
  await rm(copy, { recursive: true });
  return { [Symbol.asyncDispose]: async () => void (await run('umount', ['--lazy', folder])) };
}

/** Writes a file until the disk has no room left. */
async function fillDisk(path: string): Promise<void> {
  await using file = await open(path, 'w');
  const piece = Buffer.alloc(pieceBytes);
  try {
    for (;;) await file.write(piece);
  } catch (error) {
    if (!isSystemError(error, 'ENOSPC')) throw error;
  }
}

await using store = await startBundledStore(moveToSmallDisk);
const filler = join(store.clusterFolder, 'filler');

const unavailable = store.untilUnavailable();
await fillDisk(filler);
await unavailable;
await untilFaultEnds(performance.now());
await rm(filler);
await store.reportRecovery();
await store.finish();
