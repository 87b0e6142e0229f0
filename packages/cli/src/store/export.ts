// The export command: writes to standard output, or to a file that appears only when the export is complete.

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
import { commandAuthor } from './command-author.ts';

/** An export contains hashes of secrets, so only its owner may read it. */
const ownerOnly = 0o600;

/** Random bytes in the name of the temporary file, so that nobody can create it beforehand. */
const temporaryNameBytes = 8;

interface ExportOptions {
  readonly env: Surroundings['env'];
  readonly packageNames: readonly string[] | undefined;
  /** undefined: the standard output. */
  readonly file: string | undefined;
}

export async function runExport(surroundings: Surroundings, options: ExportOptions): Promise<void> {
  const target = options.file === undefined ? undefined : await withFileErrors(requireTarget(options.file));
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(options.env), { owner, mayMake: false });
  const progress = await startProgress(surroundings, 'lines');
  const onProgress = progress && ((lines: number, total: number) => progress.set(lines, total));
  const pieces = exportStore({
    connection,
    packageNames: options.packageNames,
    author: commandAuthor(),
    onProgress,
  });
  try {
    if (target === undefined)
      await pipeline(Readable.from(pieces), surroundings.stdout, { signal: surroundings.signal, end: false });
    else await withFileErrors(writeFile(target, pieces, surroundings.signal));
  } finally {
    progress?.stop();
  }
}

/** Returns the path to write: the target of a symbolic link, so that the link is kept. */
async function requireTarget(file: string): Promise<string> {
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
    `--output: ${file} is not a regular file; omit --output to write to standard output.`,
  );
}

/** Writes a temporary file and renames it, so that the target is complete or absent even if several exports write it. */
async function writeFile(target: string, pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  const temporary = `${target}.${secureRandomness.bytes(temporaryNameBytes).toString('hex')}.part`;
  const handle = await open(temporary, 'wx', ownerOnly);
  try {
    await pipeline(Readable.from(pieces), handle.createWriteStream({ flush: true }), { signal });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Turns an error of the operating system into a problem of one line. */
async function withFileErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new StartProblem(`--output: ${message}.`, { cause: error });
    throw error;
  }
}
