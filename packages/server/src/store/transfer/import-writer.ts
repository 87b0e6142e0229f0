// Writes lines of an import, a batch in a transaction. A row that is there already is never changed: it is
// recognised if it is the same, and told if it is not, so that an import can be repeated
// (docs/decisions/import-and-export.md).

import type { ClientConfig } from 'pg';
import { Session } from '../session.ts';
import type { ImportLine } from './import-lines.ts';
import {
  adoptInstallation,
  counterColumns,
  findImportedApp,
  importStatements,
  raiseCounters,
} from './import-statements.ts';
import { insertRun, type LineOutcome, type Run } from './insertion.ts';

export class ImportWriter implements AsyncDisposable {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** @throws DatabaseUnavailable */
  static async open(connection: ClientConfig): Promise<ImportWriter> {
    return new ImportWriter(await Session.open(connection));
  }

  /**
   * Makes an installation that has no app the one of the export: its tokens, which name it, stay good. A server
   * that runs meanwhile goes by the one before until it is started again.
   */
  async adoptInstallation(installationId: Buffer): Promise<void> {
    await this.#session.rows(adoptInstallation, [installationId]);
  }

  /**
   * Writes a batch, and says what became of each line, in order. A line that cannot be written keeps no other
   * from it.
   * @throws DatabaseUnavailable: then the batch was written whole or not at all, and can be sent again.
   */
  async write(lines: readonly ImportLine[]): Promise<LineOutcome[]> {
    const outcomes: LineOutcome[] = [];
    await this.#session.control('begin');
    for (const run of runsOf(lines)) {
      const written = await this.#writeRun(run);
      await this.#raiseCounters(run, written);
      outcomes.push(...written);
    }
    await this.#session.control('commit');
    return outcomes;
  }

  async #writeRun(run: Run): Promise<LineOutcome[]> {
    const missing = await this.#findMissing(run);
    if (missing.size === 0) return insertRun(this.#session, run);
    const lines = run.lines.filter((line) => !missing.has(line));
    const written = lines.length === 0 ? [] : await insertRun(this.#session, { ...run, lines });
    const outcomes = new Map(lines.map((line, index) => [line, written[index]]));
    return run.lines.map((line) => outcomes.get(line) ?? { problem: missing.get(line) ?? '' });
  }

  /** Lines that name something which is not there, each with what is missing. */
  async #findMissing({ kind, packageName, lines }: Run): Promise<ReadonlyMap<ImportLine, string>> {
    if (kind.kind === 'app') return new Map();
    if ((await this.#session.rows(findImportedApp, [packageName])).length === 0) {
      return new Map(lines.map((line) => [line, `packageName: there is no app ${packageName}`]));
    }
    const missing = new Map<ImportLine, string>();
    for (const [index, findReferences] of importStatements(kind).findReferences.entries()) {
      const { field = '', table = '' } = kind.references[index] ?? {};
      const named = [...new Set(lines.map(({ values }) => values[field]))].filter((id) => id !== undefined);
      if (named.length === 0) continue;
      const rows = await this.#session.rows(findReferences, [packageName, named]);
      const there = new Set<unknown>([undefined, ...rows.map(({ value }) => value)]);
      for (const line of lines) {
        const id = line.values[field];
        if (!there.has(id)) missing.set(line, `${field}: there is no ${table} ${String(id)}`);
      }
    }
    return missing;
  }

  /** No counter is behind an order that a row has: the next change takes a place after it. */
  async #raiseCounters({ kind, packageName, lines }: Run, outcomes: readonly LineOutcome[]): Promise<void> {
    if (Object.keys(kind.counters).length === 0) return;
    const there = lines.filter((_, index) => typeof outcomes[index] === 'string');
    const highest = counterColumns.map((column) => {
      const field = kind.counters[column];
      return field === undefined ? 0 : Math.max(0, ...there.map(({ values }) => Number(values[field] ?? 0)));
    });
    if (highest.some((order) => order > 0)) {
      await this.#session.rows(raiseCounters, [packageName, ...highest]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

function runsOf(lines: readonly ImportLine[]): Run[] {
  const runs: (Run & { lines: ImportLine[] })[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.kind === line.kind && last.packageName === line.packageName) last.lines.push(line);
    else runs.push({ kind: line.kind, packageName: line.packageName, lines: [line] });
  }
  return runs;
}
