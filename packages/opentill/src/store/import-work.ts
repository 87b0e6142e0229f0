// What opentill import does: reads a file or the standard input, tells each line that was not imported, and sums up.

import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { ImportReport } from '@opentill/server/cli/import-run.ts';
import { importStore } from '@opentill/server/cli/import-store.ts';
import { storeConnectionOf } from '@opentill/server/cli/store-access.ts';
import { readStoreConfig } from '@opentill/server/config.ts';
import { secureRandomness } from '@opentill/server/runtime/randomness.ts';
import { StartProblem } from '@opentill/server/runtime/start-problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { Output } from '../terminal/output.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';

/** Bytes of a file that are read at a time. */
const pieceBytes = 262_144;

/** Lines of which it is told why they were not imported; the rest is counted. */
const toldProblemsMax = 1_000;

interface ImportWork {
  readonly env: Surroundings['env'];
  /** undefined: the standard input. */
  readonly file: string | undefined;
  readonly fromEnvironment: 'sandbox' | 'production' | undefined;
  readonly json: boolean | undefined;
}

/** Whether all of it is in the store now. */
export async function runImport(surroundings: Surroundings, work: ImportWork): Promise<boolean> {
  const { signal } = surroundings;
  const config = readStoreConfig(work.env);
  await using owner = new AsyncDisposableStack();
  const input = await openInput(surroundings, work.file, owner);
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  const output = new Output(surroundings, work);
  const progress = await startProgress(surroundings, 'bytes');
  const problems: { readonly line: number; readonly problem: string }[] = [];
  try {
    const report = await importStore({
      input: counted(addAbortSignal(signal, input.stream), input.bytes, progress),
      connection,
      environment: config.environment,
      fromEnvironment: work.fromEnvironment ?? config.environment,
      randomness: secureRandomness,
      onProblem(line, problem) {
        if (problems.length >= toldProblemsMax) return;
        problems.push({ line, problem });
        if (!output.isJson) output.note(`line ${line}: ${problem}`);
      },
      signal,
    });
    progress?.stop();
    show(report, problems, output);
    return report.isWhole && report.refused === 0;
  } finally {
    progress?.stop();
  }
}

interface Input {
  readonly stream: Readable;
  /** 0: unknown. */
  readonly bytes: number;
}

/** Before anything is done: what cannot be read changes nothing. */
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

function show(
  { imported, present, leftOut, refused, isWhole }: ImportReport,
  problems: readonly object[],
  output: Output,
): void {
  if (output.isJson) {
    output.record({ imported, present, leftOut, refused, isWhole, problems });
    return;
  }
  const counts = (of: Readonly<Record<string, number>>) => {
    const texts = Object.entries(of).map(([kind, count]) => `${count.toLocaleString('en')} ${kind}`);
    return texts.length === 0 ? 'nothing' : texts.join(', ');
  };
  output.record({
    imported: counts(imported),
    'there already': counts(present),
    ...(leftOut > 0 && { 'left out': `${leftOut} of the sandbox's controls` }),
    refused: refused === 0 ? 'nothing' : `${refused} lines`,
  });
  if (!isWhole) output.note('The file is not whole: it was cut off, or lines are missing from it.');
}
