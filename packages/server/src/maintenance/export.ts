// Exports a store: to a stream, or to a file that appears only when the export is complete.

import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Environ, readStoreConfig } from '../config/config.ts';
import { exportStore } from '../operations/transfer/export-store.ts';
import { storeConnectionOf } from '../program/store-access.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { isSystemError } from '../runtime/system-errors.ts';
import { commandAuthor } from './command-author.ts';

/** An export contains hashes of secrets, so only its owner may read it. */
const ownerOnly = 0o600;

/** Random bytes in the name of the temporary file, so that nobody can create it beforehand. */
const temporaryNameBytes = 8;

interface ExportOptions {
  readonly packageNames: readonly string[] | undefined;
  /** undefined: `stdout`. */
  readonly file: string | undefined;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
  /** Called with the lines that were read. */
  readonly onProgress: ((lines: number, total: number) => void) | undefined;
}

export async function runExport(env: Environ, options: ExportOptions): Promise<void> {
  const { packageNames, stdout, signal, onProgress } = options;
  const target = options.file === undefined ? undefined : await withFileErrors(requireTarget(options.file));
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  const pieces = exportStore({ connection, packageNames, author: commandAuthor(), onProgress });
  if (target === undefined) await pipeline(Readable.from(pieces), stdout, { signal, end: false });
  else await withFileErrors(writeFile(target, pieces, signal));
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
