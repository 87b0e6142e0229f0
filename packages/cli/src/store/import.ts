// The import command: reads a file or standard input and reports what was imported.

import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { readStoreConfig } from '@opentill/server/config.ts';
import type { ImportReport } from '@opentill/server/operations/transfer/import-run.ts';
import { importStore } from '@opentill/server/operations/transfer/import-store.ts';
import { secureRandomness } from '@opentill/server/runtime/randomness.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import { storeConnectionOf } from '@opentill/server/store-access.ts';
import type { Surroundings } from '../surroundings.ts';
import { Output } from '../terminal/output.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { commandAuthor } from './command-author.ts';

/** Bytes read from a file at a time. */
const pieceBytes = 262_144;

const newSecretsNote =
  'Imported apps have no client secret yet: create one for each with opentill app rotate-secret.';

interface ImportOptions {
  readonly env: Surroundings['env'];
  /** undefined: the standard input. */
  readonly file: string | undefined;
  readonly fromEnvironment: 'sandbox' | 'production' | undefined;
  readonly isNewInstallation: boolean;
  readonly json: boolean | undefined;
}

export async function runImport(surroundings: Surroundings, options: ImportOptions): Promise<void> {
  const { signal } = surroundings;
  const config = readStoreConfig(options.env);
  const { environment } = config;
  const fromEnvironment = options.fromEnvironment ?? environment;
  await using owner = new AsyncDisposableStack();
  const input = await openInput(surroundings, options.file, owner);
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  const output = new Output(surroundings, options);
  const progress = await startProgress(surroundings, 'bytes');
  try {
    const report = await importStore({
      input: counted(addAbortSignal(signal, input.stream), input.bytes, progress),
      connection,
      environment,
      fromEnvironment,
      isNewInstallation: options.isNewInstallation,
      randomness: secureRandomness,
      author: commandAuthor(),
      signal,
    });
    progress?.stop();
    show(report, output);
    if (environment === 'production' && fromEnvironment === 'sandbox') output.note(newSecretsNote);
  } finally {
    progress?.stop();
  }
}

interface Input {
  readonly stream: Readable;
  /** 0 if unknown. */
  readonly bytes: number;
}

/** Opens the input before anything else, so that an unreadable file changes nothing. */
async function openInput(
  { stdin }: Surroundings,
  file: string | undefined,
  owner: AsyncDisposableStack,
): Promise<Input> {
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
  progress: Progress | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream) {
    yield piece as Buffer;
    bytes += (piece as Buffer).length;
    progress?.set(bytes, total);
  }
}

const pluralOf = (kind: string): string => (kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`);

function show({ imported, leftOut }: ImportReport, output: Output): void {
  if (output.isJson) {
    output.record({ imported, leftOut });
    return;
  }
  const counts = Object.entries(imported).map(
    ([kind, count]) => `${count.toLocaleString('en')} ${count === 1 ? kind : pluralOf(kind)}`,
  );
  output.record({
    imported: counts.length === 0 ? 'nothing' : counts.join(', '),
    ...(leftOut > 0 && {
      'left out': `${leftOut.toLocaleString('en')} lines that this environment, or a store in use, does not take`,
    }),
  });
}
