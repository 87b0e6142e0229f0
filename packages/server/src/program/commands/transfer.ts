// Exports a store to a stream, or to a file that appears only when the export is complete; imports a file or a stream.

import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { addAbortSignal, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import type { ClientConfig } from 'pg';
import { type Environ, readStoreConfig, readStoreTimeZone } from '../../config/config.ts';
import type { CommandAuthor } from '../../operations/audit/action-recorder.ts';
import { csvSource, type MovedApp } from '../../operations/transfer/csv-reading/csv-source.ts';
import { exportStore } from '../../operations/transfer/export-store.ts';
import { type ImportSource, jsonSource } from '../../operations/transfer/import-source.ts';
import { importStore } from '../../operations/transfer/import-store.ts';
import { systemClock } from '../../runtime/clock.ts';
import { secureRandomness } from '../../runtime/randomness.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { isSystemError } from '../../runtime/system-errors.ts';
import { storeConnectionOf } from './store-access.ts';

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

/** Bytes read from a file at a time, whose lines are written together: some hundred. */
const pieceBytes = 262_144;

/** A row of CSV has fewer bytes than its line of JSON. */
const csvPieceBytes = 65_536;

/**
 * Stops the growth of the young generation of the heap, which V8 otherwise raises to 112 MB over a large file: the check of
 * 150 MB takes 190 instead of 340 MB, and not more time (2026-11-26, `/usr/bin/time -v opentill import --check`).
 */
export const smallHeapFlag = '--semi-space-growth-factor=1';

type OnProgress = (bytes: number, total: number) => void;

export interface CsvFiles {
  readonly files: readonly string[];
  readonly app: MovedApp;
}

interface ImportOptions {
  /** An export, or the CSV files of an app; undefined: an export in `stdin`. */
  readonly from: string | CsvFiles | undefined;
  readonly stdin: Readable;
  readonly fromEnvironment: 'sandbox' | 'production' | undefined;
  readonly isNewInstallation: boolean;
  /** Nothing is imported; the report has the problems. */
  readonly isCheck: boolean;
  readonly signal: AbortSignal;
  /** Called with the bytes that were read; `total` 0: unknown. */
  readonly onProgress: OnProgress | undefined;
}

/** Returns what was imported, and into which environment. */
export async function runImport(env: Environ, options: ImportOptions) {
  setFlagsFromString(smallHeapFlag);
  const config = readStoreConfig(env);
  const { environment } = config;
  const { fromEnvironment = environment, isNewInstallation, isCheck, signal } = options;
  await using owner = new AsyncDisposableStack();
  const source = await sourceOf(env, options, owner);
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  const report = await importStore({
    source,
    connection,
    environment,
    fromEnvironment,
    isNewInstallation,
    isCheck,
    randomness: secureRandomness,
    author: commandAuthor(),
    signal,
  });
  return { report, environment, fromEnvironment };
}

async function sourceOf(
  env: Environ,
  { from, stdin, signal, onProgress }: ImportOptions,
  owner: AsyncDisposableStack,
): Promise<ImportSource> {
  if (typeof from === 'object') return await csvSourceOf(env, from, { signal, onProgress, owner });
  const input = from === undefined ? { stream: stdin, bytes: 0 } : await openInput(from, owner);
  return jsonSource(
    counted(addAbortSignal(signal, input.stream), (bytes) => onProgress?.(bytes, input.bytes)),
  );
}

async function csvSourceOf(
  env: Environ,
  { files, app }: CsvFiles,
  {
    signal,
    onProgress,
    owner,
  }: Pick<ImportOptions, 'signal' | 'onProgress'> & { readonly owner: AsyncDisposableStack },
): Promise<ImportSource> {
  const sizes = new Map<string, { readonly read: number; readonly total: number }>();
  const sum = (part: 'read' | 'total') => [...sizes.values()].reduce((bytes, one) => bytes + one[part], 0);
  const csvFiles = files.map((name) => ({
    name,
    async *read() {
      const { stream, bytes: total } = await openInput(name, owner, csvPieceBytes);
      sizes.set(name, { read: 0, total });
      yield* counted(addAbortSignal(signal, stream), (read) => {
        sizes.set(name, { read, total });
        onProgress?.(sum('read'), sum('total'));
      });
    },
  }));
  const { environment } = readStoreConfig(env);
  const options = { environment, timeZone: readStoreTimeZone(env), now: systemClock.now() };
  return await csvSource(csvFiles, { app, ...options, randomness: secureRandomness });
}

/** Imports the export of a sandbox before its server starts. A store that is in use already is left unchanged. */
export async function importSeed(
  connection: ClientConfig,
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): Promise<void> {
  await using owner = new AsyncDisposableStack();
  const { stream } = await openInput(file, owner);
  await importStore({
    ...{ connection, signal, isSeed: true, isNewInstallation: false, isCheck: false },
    ...{ environment: 'sandbox', fromEnvironment: 'sandbox' },
    source: jsonSource(addAbortSignal(signal, stream)),
    randomness: secureRandomness,
    author: commandAuthor(),
  });
}

interface Input {
  readonly stream: Readable;
  /** 0 if unknown. */
  readonly bytes: number;
}

/** Opens the input before anything else, so that an unreadable file changes nothing. */
export async function openInput(
  file: string,
  owner: AsyncDisposableStack,
  highWaterMark = pieceBytes,
): Promise<Input> {
  const unreadable = (reason: string, cause?: unknown) =>
    new StartProblem(`The file cannot be read: ${reason}.`, { cause });
  const handle = await open(file).catch((error: Error) => {
    throw unreadable(error.message, error);
  });
  owner.defer(() => handle.close());
  const found = await handle.stat();
  if (found.isDirectory()) throw unreadable(`${file} is a folder`);
  return { stream: handle.createReadStream({ highWaterMark }), bytes: found.size };
}

export async function* counted(stream: Readable, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream) {
    yield piece as Buffer;
    bytes += (piece as Buffer).length;
    onRead(bytes);
  }
}

export function commandAuthor(): CommandAuthor {
  return { madeBy: `command:${userName()}`, time: systemClock.now() };
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
