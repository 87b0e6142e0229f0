// Writes a store as lines of JSON: a header, the apps one after another, and a last line that shows that the export is
// complete (docs/import-export.md).

import type { ClientConfig } from 'pg';
import { StartProblem } from '../../runtime/start-problem.ts';
import { ExportReader } from '../../store/transfer/export-reader.ts';
import { endLine, headerLine } from '../../store/transfer/header.ts';

interface ExportOptions {
  readonly connection: ClientConfig;
  /** The apps to export; undefined: all. */
  readonly packageNames?: readonly string[] | undefined;
  /** Called with the lines written so far and the estimated total; without it, no total is counted. */
  readonly onProgress?: ((lines: number, about: number) => void) | undefined;
}

const lineFeed = 0x0a;

/**
 * The chunks of an export, in order.
 * @throws StartProblem, before the first chunk, if there is nothing to export or an app does not exist.
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
    for await (const chunk of reader.linesOf(packageName)) {
      lines += countLineFeeds(chunk);
      onProgress?.(lines, about);
      yield chunk;
    }
  }
  yield Buffer.from(endLine(lines));
}

async function requireApps(reader: ExportReader, packageNames: readonly string[]): Promise<void> {
  const existing = new Set(await Array.fromAsync(reader.packageNames()));
  const missing = packageNames.filter((packageName) => !existing.has(packageName));
  if (missing.length > 0) throw new StartProblem(`App not found: ${missing.join(', ')}.`);
}

function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
