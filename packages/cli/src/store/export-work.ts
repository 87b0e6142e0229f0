// What opentill export does: to a file that is there when it is whole, or to the standard output.

import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readStoreConfig } from '@opentill/server/config.ts';
import { exportStore } from '@opentill/server/operations/transfer/export-store.ts';
import { secureRandomness } from '@opentill/server/runtime/randomness.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import { isSystemError } from '@opentill/server/runtime/system-errors.ts';
import { storeConnectionOf } from '@opentill/server/store-access.ts';
import type { Surroundings } from '../surroundings.ts';
import { startProgress } from '../terminal/progress.ts';

/** An export holds hashes of secrets: it is its owner's alone. */
const ownerOnly = 0o600;

/** Of the name of a draft, which nobody can have put there before. */
const draftNameBytes = 8;

interface ExportWork {
  readonly env: Surroundings['env'];
  readonly packageNames: readonly string[] | undefined;
  /** undefined: the standard output. */
  readonly file: string | undefined;
}

export async function runExport(surroundings: Surroundings, work: ExportWork): Promise<void> {
  const place = work.file === undefined ? undefined : await explained(requirePlace(work.file));
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(work.env), { owner, mayMake: false });
  const progress = await startProgress(surroundings, 'lines');
  const onProgress = progress && ((lines: number, about: number) => progress.set(lines, about));
  const pieces = exportStore({ connection, packageNames: work.packageNames, onProgress });
  try {
    if (place === undefined)
      await pipeline(Readable.from(pieces), surroundings.stdout, { signal: surroundings.signal, end: false });
    else await explained(writeFile(place, pieces, surroundings.signal));
  } finally {
    progress?.stop();
  }
}

/** Where the file lies, or will lie: behind a link, so that it stays one. */
async function requirePlace(file: string): Promise<string> {
  const isNew = await lstat(file).then(
    () => false,
    (error: unknown) => {
      if (isSystemError(error, 'ENOENT')) return true;
      throw error;
    },
  );
  if (isNew) return file;
  if ((await stat(file)).isFile()) return await realpath(file);
  throw new StartProblem(
    `--output: ${file} is no ordinary file: without --output an export goes to the standard output.`,
  );
}

/** Through a draft of its own beside the file: whole or not there, also where several write to one name. */
async function writeFile(place: string, pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  const draft = `${place}.${secureRandomness.bytes(draftNameBytes).toString('hex')}.part`;
  const handle = await open(draft, 'wx', ownerOnly);
  try {
    await pipeline(Readable.from(pieces), handle.createWriteStream({ flush: true }), { signal });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** What the operating system refuses is one line. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new StartProblem(`--output: ${message}.`, { cause: error });
    throw error;
  }
}
