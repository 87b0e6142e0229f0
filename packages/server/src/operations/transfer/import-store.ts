// Imports an export into a store: all of it or nothing, in one pass and bounded memory (docs/import-export.md).

import type { ClientConfig } from 'pg';
import { StartProblem } from '../../runtime/start-problem.ts';
import { Session } from '../../store/connection/session.ts';
import { installationIdBytes } from '../../store/schema/installation.ts';
import { prepareDatabase } from '../../store/schema/migrate.ts';
import { type Header, requireHeader } from '../../store/transfer/header.ts';
import { ImportProblems, RefusedImport } from '../../store/transfer/import-problems.ts';
import { ImportWriter } from '../../store/transfer/import-writer.ts';
import { type CommandAuthor, commandAction } from '../audit/action-recorder.ts';
import { ImportLines, type ImportTarget } from './import-lines.ts';
import type { ImportSource, SourceLine } from './import-source.ts';

export interface ImportOptions extends ImportTarget {
  readonly source: ImportSource;
  readonly connection: ClientConfig;
  /** The database is a copy: it gets an installation id of its own, so that tokens of the original are not valid there. */
  readonly isNewInstallation: boolean;
  /** All problems are collected, and the import is rolled back. */
  readonly isCheck: boolean;
  /** Nothing is imported into a store that is in use. */
  readonly isSeed?: boolean;
  readonly author: CommandAuthor;
  /** Aborting rolls the import back. */
  readonly signal: AbortSignal;
}

export interface ImportReport {
  /** Numbers of lines by kind. */
  readonly imported: Readonly<Record<string, number>>;
  /** Lines that this store does not take: of another environment, or without an app in a store that is in use. */
  readonly leftOut: number;
  /** Subscriptions whose next charge would begin too late. */
  readonly overdue: number;
  /** Only a check returns with problems, of which the first are named. */
  readonly problemCount: number;
  readonly problems: readonly string[];
}

/**
 * A check returns all problems, and nothing was imported.
 * @throws StartProblem for an invalid export, RefusedImport for the problems of the first chunk with any, the signal's
 * reason: nothing was imported.
 */
export async function importStore(options: ImportOptions): Promise<ImportReport> {
  const { source, author, isCheck, isSeed = false, signal } = options;
  const problems = new ImportProblems();
  const requireSound = async () => {
    if (problems.count === 0 || isCheck) return;
    await problems.locateRows(source.findRows);
    throw new RefusedImport(problems);
  };
  await using stack = new AsyncDisposableStack();
  let begun: { readonly writer: ImportWriter; readonly lines: ImportLines } | undefined;
  for await (const chunk of source.chunks()) {
    signal.throwIfAborted();
    const [first] = chunk;
    if (first === undefined) continue;
    const rest = begun === undefined ? chunk.slice(1) : chunk;
    if (begun === undefined) {
      const writer = stack.use(await beginImport(headerOf(first), options, problems));
      const isEmpty = await writer.isStoreEmpty();
      if (isSeed && !isEmpty) return { imported: {}, leftOut: 0, overdue: 0, problemCount: 0, problems: [] };
      begun = { writer, lines: new ImportLines(problems, options, isEmpty) };
    }
    await begun.writer.write(rest.flatMap((line) => begun?.lines.read(line) ?? []));
    await requireSound();
  }
  signal.throwIfAborted();
  if (begun === undefined) throw new StartProblem('There is nothing to import: the input is empty.');
  const { writer, lines } = begun;
  lines.requireEnd();
  await requireSound();
  await writer.analyze();
  const realNow = await writer.readTime();
  let overdue = 0;
  for (const [packageName, counters] of lines.apps) {
    if (problems.refusedApps.has(packageName)) continue;
    overdue += await writer.finishApp(packageName, counters, realNow);
    await requireSound();
  }
  const { imported, leftOut } = lines;
  if (isCheck) await problems.locateRows(source.findRows);
  else {
    const counts = Object.entries(imported).map(([kind, count]) => `${kind} ${count}`);
    const detail = { imported: counts.join(', '), leftOut, sha256: source.digest() };
    await writer.commit(commandAction('import', author, detail));
  }
  return { imported, leftOut, overdue, problemCount: problems.count, problems: problems.named };
}

function headerOf(first: SourceLine): Header {
  if ('object' in first) return requireHeader(first.object);
  const { place, problem } = first;
  throw new StartProblem(
    `This is not an OpenTill export, or it is compressed: line ${place.number} is ${problem}.`,
  );
}

async function beginImport(
  header: Header,
  options: ImportOptions,
  problems: ImportProblems,
): Promise<ImportWriter> {
  const { connection, environment, fromEnvironment, isNewInstallation, isSeed, randomness } = options;
  if (header.environment !== fromEnvironment) {
    const cure = isSeed
      ? 'a seed comes from a sandbox'
      : `use --from-environment ${header.environment} to import it`;
    throw new StartProblem(
      `Expected an export of the ${fromEnvironment} environment, got one of ${header.environment}: ${cure}.`,
    );
  }
  const isKept = header.environment === environment && !isNewInstallation;
  const named = isKept ? header.installationId : undefined;
  const installationId =
    named === undefined ? randomness.bytes(installationIdBytes) : Buffer.from(named, 'hex');
  await using session = await Session.open(connection);
  await prepareDatabase(session, connection, { environment, installationId });
  await using opening = new AsyncDisposableStack();
  const writer = opening.use(await ImportWriter.begin(connection, problems));
  if (named !== undefined || isNewInstallation) {
    const isAdopted = await writer.adoptInstallation(installationId);
    if (isNewInstallation && !isAdopted) {
      throw new StartProblem('--new-installation: expected a database without apps.');
    }
  }
  opening.move();
  return writer;
}
