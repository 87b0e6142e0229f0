// Exports and imports as a test runs them: whole, in memory.

import { Buffer } from 'node:buffer';
import type { ClientConfig } from 'pg';
import { exportStore } from '../../src/cli/export-store.ts';
import type { ImportReport } from '../../src/cli/import-run.ts';
import { type ImportOptions, importStore } from '../../src/cli/import-store.ts';
import { secureRandomness } from '../../src/runtime/randomness.ts';

export async function exported(connection: ClientConfig, packageNames?: readonly string[]): Promise<string> {
  return Buffer.concat(await Array.fromAsync(exportStore({ connection, packageNames }))).toString('utf8');
}

export interface Imported extends ImportReport {
  /** `line: problem` of each line that was not imported. */
  readonly problems: readonly string[];
}

/** A text comes in pieces of `pieceBytes`, so that lines and characters are cut anywhere. */
export async function imported(
  connection: ClientConfig,
  text: string | Buffer,
  { pieceBytes = 1_000, ...options }: Partial<ImportOptions> & { readonly pieceBytes?: number } = {},
): Promise<Imported> {
  const problems: string[] = [];
  const report = await importStore({
    input: piecesOf(Buffer.from(text), pieceBytes),
    connection,
    environment: 'sandbox',
    fromEnvironment: 'sandbox',
    randomness: { ...secureRandomness, bytes: (count) => Buffer.alloc(count, 7) },
    onProblem: (line, problem) => problems.push(`${line}: ${problem}`),
    signal: new AbortController().signal,
    ...options,
  });
  return { ...report, problems };
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** How many lines of each kind a text has. */
export function kindsOf(text: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of text.trimEnd().split('\n')) {
    const { kind } = JSON.parse(line) as { kind: string };
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
