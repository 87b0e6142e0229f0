// Imports an export into a store: all of it or nothing, in bounded memory (docs/import-export.md).

import { createHash, type Hash } from 'node:crypto';
import type { ClientConfig } from 'pg';
import { StartProblem } from '../../runtime/start-problem.ts';
import { installationIdBytes } from '../../store/connection/installation.ts';
import { prepareDatabase } from '../../store/connection/migrate.ts';
import { Session } from '../../store/connection/session.ts';
import { type Header, requireHeader } from '../../store/transfer/header.ts';
import { ImportProblems } from '../../store/transfer/import-problems.ts';
import { ImportWriter } from '../../store/transfer/import-writer.ts';
import { type CommandAuthor, commandAction } from '../audit/command-action.ts';
import { type ImportReport, ImportRun, type ImportTarget, parseObject } from './import-run.ts';
import { textLines } from './text-lines.ts';

export interface ImportOptions extends ImportTarget {
  readonly input: AsyncIterable<Buffer>;
  readonly connection: ClientConfig;
  readonly author: CommandAuthor;
  /** The database is a copy: it gets an installation id of its own, so that tokens of the original are not valid there. */
  readonly isNewInstallation: boolean;
  /** Aborting rolls the import back. */
  readonly signal: AbortSignal;
}

/**
 * A check returns all problems, and nothing was imported.
 * @throws StartProblem for an invalid export, RefusedImport for its first problems, the signal's reason: nothing was
 * imported.
 */
export async function importStore(options: ImportOptions): Promise<ImportReport> {
  await using stack = new AsyncDisposableStack();
  let run: ImportRun | undefined;
  const problems = new ImportProblems();
  let writer: ImportWriter | undefined;
  const fileHash = createHash('sha256');
  for await (const lines of textLines(hashed(options.input, fileHash))) {
    for (const line of lines) {
      if ('text' in line && line.text.trim() === '') continue;
      if (run === undefined) {
        if ('problem' in line) {
          throw new StartProblem(
            `This is not an OpenTill export, or it is compressed: line ${line.number} is ${line.problem}.`,
          );
        }
        // An editor may have added a byte order mark.
        const header = requireHeader(parseObject(line.text.replace(/^\ufeff/, '')));
        writer = stack.use(await beginImport(header, options, problems));
        run = await ImportRun.begin(writer, problems, options);
        continue;
      }
      const full = run.add(line);
      if (full === undefined) continue;
      await full;
      options.signal.throwIfAborted();
    }
  }
  options.signal.throwIfAborted();
  if (run === undefined || writer === undefined)
    throw new StartProblem('There is nothing to import: the input is empty.');
  const report = await run.finish();
  if (options.isCheck) return report;
  const { imported, leftOut } = report;
  const detail = JSON.stringify({ sha256: fileHash.digest('hex'), imported, leftOut });
  await writer.commit(commandAction('import', options.author, detail));
  return report;
}

async function* hashed(input: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    hash.update(chunk);
    yield chunk;
  }
}

async function beginImport(
  header: Header,
  options: ImportOptions,
  problems: ImportProblems,
): Promise<ImportWriter> {
  const { connection, environment, fromEnvironment, isNewInstallation, randomness } = options;
  if (header.environment !== fromEnvironment) {
    throw new StartProblem(
      `Expected an export of the ${fromEnvironment} environment, got one of ${header.environment}: use --from-environment ${header.environment} to import it.`,
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
