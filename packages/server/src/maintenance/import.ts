// Imports a file or a stream into a store.

import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { type Environ, readStoreConfig } from '../config/config.ts';
import { importStore } from '../operations/transfer/import-store.ts';
import { storeConnectionOf } from '../program/store-access.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { commandAuthor } from './command-author.ts';

/** Bytes read from a file at a time, whose lines are written together: some hundred. */
const pieceBytes = 262_144;

/**
 * Stops the growth of the young generation of the heap, which V8 otherwise raises to 112 MB over a large file: the check of
 * 150 MB takes 190 instead of 340 MB, and not more time (2026-11-26, `/usr/bin/time -v opentill import --check`).
 */
const smallHeapFlag = '--semi-space-growth-factor=1';

type OnProgress = (bytes: number, total: number) => void;

interface ImportOptions {
  /** undefined: `stdin`. */
  readonly file: string | undefined;
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
  const { fromEnvironment = environment, isNewInstallation, isCheck, signal, onProgress } = options;
  await using owner = new AsyncDisposableStack();
  const input = await openInput(options, owner);
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  const report = await importStore({
    input: counted(addAbortSignal(signal, input.stream), input.bytes, onProgress),
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

interface Input {
  readonly stream: Readable;
  /** 0 if unknown. */
  readonly bytes: number;
}

/** Opens the input before anything else, so that an unreadable file changes nothing. */
async function openInput({ file, stdin }: ImportOptions, owner: AsyncDisposableStack): Promise<Input> {
  if (file === undefined) return { stream: stdin, bytes: 0 };
  const unreadable = (reason: string, cause?: unknown) =>
    new StartProblem(`The file cannot be read: ${reason}.`, { cause });
  const handle = await open(file).catch((error: Error) => {
    throw unreadable(error.message, error);
  });
  owner.defer(() => handle.close());
  const found = await handle.stat();
  if (found.isDirectory()) throw unreadable(`${file} is a folder`);
  return { stream: handle.createReadStream({ highWaterMark: pieceBytes }), bytes: found.size };
}

async function* counted(
  stream: Readable,
  total: number,
  onProgress: OnProgress | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream) {
    yield piece as Buffer;
    bytes += (piece as Buffer).length;
    onProgress?.(bytes, total);
  }
}
