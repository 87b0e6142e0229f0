// Writes a store as lines of JSON: a header, the apps one after another, and a last line that shows that the export is
// complete (docs/import-export.md).

import type { ActionDetail } from '@opentill/contract/actions.ts';
import type { ClientConfig } from 'pg';
import { wholeStore } from '../../domain/identifiers.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { appendAction, type NewAction } from '../../store/audit/actions.ts';
import { Session } from '../../store/connection/session.ts';
import { ExportReader } from '../../store/transfer/export-reader.ts';
import { endLine, headerLine } from '../../store/transfer/header.ts';
import { type CommandAuthor, commandAction } from '../audit/action-recorder.ts';

interface ExportOptions {
  readonly connection: ClientConfig;
  /** The apps to export; undefined: all. */
  readonly packageNames?: readonly string[] | undefined;
  readonly author: CommandAuthor;
  /** Called with the lines written so far and the estimated total; without it, no total is counted. */
  readonly onProgress?: ((lines: number, about: number) => void) | undefined;
}

const lineFeed = 0x0a;

/** The action of an export names at most this many apps, because its length is limited. */
const namedAppsMax = 50;

/**
 * The chunks of an export, in order.
 * @throws StartProblem, before the first chunk, if there is nothing to export or an app does not exist.
 */
export async function* exportStore(options: ExportOptions): AsyncGenerator<Buffer> {
  const { connection, packageNames, author, onProgress } = options;
  await using reader = await ExportReader.open(connection, packageNames);
  const missing = packageNames?.filter((packageName) => !reader.packageNames.includes(packageName)) ?? [];
  if (missing.length > 0) throw new StartProblem(`App not found: ${missing.join(', ')}.`);
  await recordExport(connection, commandAction('export', author, exportedApps(packageNames)));
  const about = onProgress === undefined ? 0 : await reader.countLines(packageNames);
  const { environment, installationId } = reader.installation;
  yield Buffer.from(headerLine({ environment, installationId: installationId.toString('hex') }));
  let lines = 0;
  // Actions without an app belong to an export of the whole store only.
  for (const packageName of [...(packageNames === undefined ? [wholeStore] : []), ...reader.packageNames]) {
    for await (const chunk of reader.linesOf(packageName)) {
      lines += countLineFeeds(chunk);
      onProgress?.(lines, about);
      yield chunk;
    }
  }
  yield Buffer.from(endLine(lines));
}

function exportedApps(packageNames: readonly string[] | undefined): ActionDetail {
  if (packageNames === undefined) return { allApps: true };
  if (packageNames.length > namedAppsMax) return { apps: packageNames.length };
  return { packageNames: packageNames.join(', ') };
}

/** Before the first line leaves the store: an export that is cut off is recorded, too. */
async function recordExport(connection: ClientConfig, action: NewAction): Promise<void> {
  await using session = await Session.open(connection);
  await session.control('begin');
  await appendAction(session, wholeStore, action);
  await session.control('commit');
}

function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
