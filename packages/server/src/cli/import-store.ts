// Reads an export into a store, in bounded memory. A line that is of no use is told with its number, and the rest
// goes on; repeating an import writes nothing twice (docs/import-export.md).

import type { ClientConfig } from 'pg';
import type { Randomness } from '../runtime/randomness.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import { installationIdBytes } from '../store/installation.ts';
import { prepareDatabase } from '../store/prepared-database.ts';
import { Session } from '../store/session.ts';
import { type Header, requireHeader } from '../store/transfer/header.ts';
import { ImportWriter } from '../store/transfer/import-writer.ts';
import { type ImportReport, ImportRun, type ImportTarget, parseObject } from './import-run.ts';
import { textLines } from './text-lines.ts';

export interface ImportOptions extends ImportTarget {
  readonly input: AsyncIterable<Buffer>;
  readonly connection: ClientConfig;
  /** Names an installation that neither the database nor the export does. */
  readonly randomness: Randomness;
  /** Given, nothing further is read: what was imported stays. */
  readonly signal: AbortSignal;
}

/**
 * @throws StartProblem, with nothing changed, for what is no export or not for this database; the signal's reason.
 */
export async function importStore(options: ImportOptions): Promise<ImportReport> {
  await using stack = new AsyncDisposableStack();
  let run: ImportRun | undefined;
  for await (const lines of textLines(options.input)) {
    for (const line of lines) {
      if ('text' in line && line.text.trim() === '') continue;
      if (run === undefined) {
        if ('problem' in line) {
          throw new StartProblem(
            `This is no export of OpenTill, or it is packed: line ${line.number} is ${line.problem}.`,
          );
        }
        // An editor may have put a byte order mark before it.
        const header = requireHeader(parseObject(line.text.replace(/^\ufeff/, '')));
        run = new ImportRun(stack.use(await openWriter(header, options)), options);
        continue;
      }
      const full = run.take(line);
      if (full === undefined) continue;
      await full;
      options.signal.throwIfAborted();
    }
  }
  options.signal.throwIfAborted();
  if (run === undefined) throw new StartProblem('There is nothing to import: not even a first line came.');
  return await run.finish();
}

async function openWriter(header: Header, options: ImportOptions): Promise<ImportWriter> {
  const { connection, environment, fromEnvironment, randomness } = options;
  if (header.environment !== fromEnvironment) {
    throw new StartProblem(
      `This export is one of the ${header.environment} environment, and one of ${fromEnvironment} is expected: say --from-environment ${header.environment} if that is meant.`,
    );
  }
  const named = header.environment === environment ? header.installationId : undefined;
  const installationId =
    named === undefined ? randomness.bytes(installationIdBytes) : Buffer.from(named, 'hex');
  await using session = await Session.open(connection);
  await prepareDatabase(session, connection, { environment, installationId });
  const writer = await ImportWriter.open(connection);
  if (named !== undefined) await writer.adoptInstallation(installationId);
  return writer;
}
