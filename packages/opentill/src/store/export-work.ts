// What opentill export does: to a file that is there when it is whole, or to the standard output.

import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportStore } from '@opentill/server/cli/export-store.ts';
import { storeConnectionOf } from '@opentill/server/cli/store-access.ts';
import { readStoreConfig } from '@opentill/server/config.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { startProgress } from '../terminal/progress.ts';

/** An export holds hashes of secrets: it is its owner's alone. */
const ownerOnly = 0o600;

interface ExportWork {
  readonly env: Surroundings['env'];
  readonly packageNames: readonly string[] | undefined;
  /** undefined: the standard output. */
  readonly file: string | undefined;
}

export async function runExport(surroundings: Surroundings, work: ExportWork): Promise<void> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(work.env), { owner, mayMake: false });
  const progress = await startProgress(surroundings, 'lines');
  const onProgress = progress && ((lines: number, about: number) => progress.set(lines, about));
  const pieces = exportStore({ connection, packageNames: work.packageNames, onProgress });
  try {
    await write(pieces, surroundings, work.file);
  } finally {
    progress?.stop();
  }
}

async function write(
  pieces: AsyncIterable<Buffer>,
  { stdout, signal }: Surroundings,
  file: string | undefined,
): Promise<void> {
  if (file === undefined) {
    await pipeline(Readable.from(pieces), stdout, { signal, end: false });
    return;
  }
  const draft = `${file}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(draft, { mode: ownerOnly, flush: true }), {
      signal,
    });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new StartProblem(`--output: ${message}.`, { cause: error });
    throw error;
  }
}
