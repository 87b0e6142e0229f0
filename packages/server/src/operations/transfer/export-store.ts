// Writes a store as lines of JSON: a first line that says what it is of, the apps one after the other, and a last
// line by which a reader knows that it is whole (docs/import-export.md).

import type { ClientConfig } from 'pg';
import { StartProblem } from '../../runtime/start-problem.ts';
import { ExportReader } from '../../store/transfer/export-reader.ts';
import { endLine, headerLine } from '../../store/transfer/header.ts';

interface ExportOptions {
  readonly connection: ClientConfig;
  /** The apps to export; undefined: all. */
  readonly packageNames?: readonly string[] | undefined;
  /** Told now and then how many lines were written, of about how many; without it they are not counted ahead. */
  readonly onProgress?: ((lines: number, about: number) => void) | undefined;
}

const lineFeed = 0x0a;

/**
 * The pieces of an export, in order.
 * @throws StartProblem, before the first piece, when there is nothing to export or an app is not there.
 */
export async function* exportStore(options: ExportOptions): AsyncGenerator<Buffer> {
  const { connection, packageNames, onProgress } = options;
  await using reader = await ExportReader.open(connection, packageNames);
  if (packageNames !== undefined) await requireApps(reader, packageNames);
  const about = onProgress === undefined ? 0 : await reader.countLines();
  const { environment, installationId } = reader.installation;
  yield Buffer.from(headerLine({ environment, installationId: installationId.toString('hex') }));
  let lines = 0;
  for await (const packageName of reader.packageNames()) {
    for await (const piece of reader.linesOf(packageName)) {
      lines += countLineFeeds(piece);
      onProgress?.(lines, about);
      yield piece;
    }
  }
  yield Buffer.from(endLine(lines));
}

async function requireApps(reader: ExportReader, packageNames: readonly string[]): Promise<void> {
  const there = new Set(await Array.fromAsync(reader.packageNames()));
  const missing = packageNames.filter((packageName) => !there.has(packageName));
  if (missing.length > 0) throw new StartProblem(`There is no app ${missing.join(', ')}.`);
}

function countLineFeeds(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
