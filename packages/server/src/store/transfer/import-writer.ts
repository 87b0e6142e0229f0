// Writes the lines of an import in one transaction. Rows that exist are never changed
// (docs/decisions/import-and-export.md).

import { isDeepStrictEqual } from 'node:util';
import type { ClientConfig } from 'pg';
import { appendAction, type NewAction, noApp } from '../audit/actions.ts';
import { isDataProblem } from '../connection/database-failure.ts';
import { Session } from '../connection/session.ts';
import type { ImportLine } from './import-lines.ts';
import {
  adoptInstallation,
  counterColumns,
  findImportedApp,
  importStatements,
  type KeyRow,
  raiseActionHead,
  raiseCounters,
} from './import-statements.ts';
import type { TransferKind } from './kinds.ts';
import { OpenCharges, refuseAttemptAhead } from './open-charges.ts';
import { RefusedLine } from './refused-line.ts';

/** Lines of one kind and one app, in their order. */
interface Run {
  readonly kind: TransferKind;
  readonly packageName: string;
  readonly lines: readonly ImportLine[];
}

/** After so many lines, PostgreSQL would plan with the statistics of the table before the import until autovacuum runs. */
const analyzedLinesMin = 10_000;

type Insert = (run: Run) => Promise<LineOutcome[]>;

/** Whether a line was written, or its row exists with the same or with different content. */
export type LineOutcome = 'imported' | 'present' | 'different';

export class ImportWriter implements AsyncDisposable {
  readonly #session: Session;
  /** The highest imported orders of each app, in the order of `counterColumns`. */
  readonly #counters = new Map<string, readonly number[]>();
  /** The last imported action of each app. */
  readonly #heads = new Map<string, { readonly order: unknown; readonly hash: Buffer }>();
  /** The order at which the actions of an app begin to differ from those of the file. */
  readonly #divergences = new Map<string, number>();
  readonly #openCharges = new OpenCharges();
  /** The number of imported lines by table. */
  readonly #filled = new Map<string, number>();
  /** Whether all rows of the batch before were new. */
  #expectsNew = true;

  private constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Begins the transaction, which is rolled back unless `commit` is called.
   * @throws DatabaseUnavailable
   */
  static async begin(connection: ClientConfig): Promise<ImportWriter> {
    await using opening = new AsyncDisposableStack();
    const session = opening.use(await Session.open(connection));
    await session.control('begin');
    opening.move();
    return new ImportWriter(session);
  }

  /**
   * Gives a database without apps this installation id, and returns false for one with apps. A running server uses the
   * previous id until it is restarted.
   */
  async adoptInstallation(installationId: Buffer): Promise<boolean> {
    return (await this.#session.rows(adoptInstallation, [installationId])).length > 0;
  }

  /**
   * Writes a batch and returns the outcome of each line, in order.
   * @throws RefusedLine for the first line that cannot be written; DatabaseUnavailable.
   */
  async write(lines: readonly ImportLine[]): Promise<LineOutcome[]> {
    const runs = runsOf(lines);
    const outcomes =
      (this.#expectsNew ? await this.#tryWrite(runs, (run) => this.#insertNew(run)) : undefined) ??
      (await this.#tryWrite(runs, (run) => this.#insertMissing(run))) ??
      (await this.#writeOneByOne(lines));
    this.#expectsNew = outcomes.every((outcome) => outcome === 'imported');
    const written = lines.filter((_, index) => outcomes[index] === 'imported');
    this.#noteOrders(written);
    for (const { table } of written.flatMap(({ kind }) => kind.tables)) {
      this.#filled.set(table, (this.#filled.get(table) ?? 0) + 1);
    }
    this.#openCharges.note(written);
    for (const run of runsOf(written)) await refuseAttemptAhead(this.#session, run.packageName, run.lines);
    return outcomes;
  }

  /**
   * Raises the order counters, as the last lock of the transaction, appends the action of the import and commits.
   * @throws RefusedLine for the first line of an open charge that lacks the other one.
   */
  async commit(action: NewAction): Promise<void> {
    await this.#openCharges.refuseLone(this.#session);
    for (const [table, lines] of this.#filled) {
      if (lines >= analyzedLinesMin) await this.#session.control(`analyze ${table}`);
    }
    for (const packageName of [...new Set([noApp, ...this.#counters.keys(), ...this.#heads.keys()])].sort()) {
      const counters = this.#counters.get(packageName);
      if (counters !== undefined) await this.#session.rows(raiseCounters, [packageName, ...counters]);
      const head = this.#heads.get(packageName);
      if (head !== undefined) await this.#session.rows(raiseActionHead, [packageName, head.order, head.hash]);
      if (packageName === noApp) await appendAction(this.#session, noApp, action);
    }
    await this.#session.control('commit');
  }

  /** Returns undefined, with nothing written, if a row breaks a rule of its table. */
  async #tryWrite(runs: readonly Run[], insert: Insert): Promise<LineOutcome[] | undefined> {
    await this.#session.control('savepoint batch');
    try {
      const outcomes: LineOutcome[] = [];
      for (const run of runs) outcomes.push(...(await this.#writeRun(run, insert)));
      await this.#session.control('release savepoint batch');
      return outcomes;
    } catch (error) {
      if (!isDataProblem(error)) throw error;
      await this.#session.control('rollback to savepoint batch');
      return undefined;
    }
  }

  /** Identifies the line that breaks a rule of its table. */
  async #writeOneByOne(lines: readonly ImportLine[]): Promise<LineOutcome[]> {
    const outcomes: LineOutcome[] = [];
    for (const line of lines) {
      try {
        for (const run of runsOf([line])) {
          outcomes.push(...(await this.#writeRun(run, (one) => this.#insertMissing(one))));
        }
      } catch (error) {
        if (!isDataProblem(error)) throw error;
        throw new RefusedLine(line.number, `the database rejects it: ${error.message}`);
      }
    }
    return outcomes;
  }

  async #writeRun(run: Run, insert: Insert): Promise<LineOutcome[]> {
    const missing = await this.#findMissing(run);
    if (missing === undefined && run.kind.isAudit) return await this.#continueChain(run);
    if (missing === undefined) return await insert(run);
    // A line before it may be bad, too.
    const before = run.lines.slice(0, run.lines.indexOf(missing.line));
    if (before.length > 0) await insert({ ...run, lines: before });
    throw new RefusedLine(missing.line.number, missing.problem);
  }

  /** The first line that names a row which does not exist. */
  async #findMissing({
    kind,
    packageName,
    lines,
  }: Run): Promise<{ readonly line: ImportLine; readonly problem: string } | undefined> {
    const [first] = lines;
    if (kind.kind === 'app' || packageName === noApp || first === undefined) return undefined;
    if ((await this.#session.rows(findImportedApp, [packageName])).length === 0) {
      return { line: first, problem: `packageName: there is no app ${packageName}` };
    }
    const problems = new Map<ImportLine, string>();
    for (const [index, findReferences] of importStatements(kind).findReferences.entries()) {
      const { field = '', table = '' } = kind.references[index] ?? {};
      const named = [...new Set(lines.map(({ values }) => values[field]))].filter((id) => id !== undefined);
      if (named.length === 0) continue;
      const rows = await this.#session.rows(findReferences, [packageName, named]);
      const found = new Set<unknown>([undefined, ...rows.map(({ value }) => value)]);
      for (const line of lines) {
        const id = line.values[field];
        if (!found.has(id)) problems.set(line, `${field}: there is no ${table} ${String(id)}`);
      }
    }
    const line = lines.find((one) => problems.has(one));
    return line && { line, problem: problems.get(line) ?? '' };
  }

  /** Actions are written only as long as they continue the chain of the app. */
  async #continueChain(run: Run): Promise<LineOutcome[]> {
    const { kind, packageName, lines } = run;
    const found = await this.#session.rows(importStatements(kind).findLines, [packageName, asJson(lines)]);
    const existing = new Map(
      found.map(({ line }) => JSON.parse(line) as KeyRow).map((row) => [row['order'], row]),
    );
    const differing = lines.find((line) => {
      const row = existing.get(line.values['order']);
      return row !== undefined && compare(line, row) === 'different';
    });
    const divergence = this.#divergences.get(packageName) ?? Number(differing?.values['order'] ?? Infinity);
    if (Number.isFinite(divergence)) this.#divergences.set(packageName, divergence);
    const outcomes = lines.map(({ values }): LineOutcome => {
      if (Number(values['order']) >= divergence) return 'different';
      return existing.has(values['order']) ? 'present' : 'imported';
    });
    const missing = lines.filter((_, index) => outcomes[index] === 'imported');
    if (missing.length > 0) await this.#insertNew({ ...run, lines: missing });
    return outcomes;
  }

  async #insertNew({ kind, packageName, lines }: Run): Promise<LineOutcome[]> {
    const { insertNew, insertRest } = importStatements(kind);
    for (const insert of [insertNew, ...insertRest]) {
      await this.#session.rows(insert, [packageName, asJson(lines)]);
    }
    return lines.map(() => 'imported');
  }

  async #insertMissing({ kind, packageName, lines }: Run): Promise<LineOutcome[]> {
    const { insertMissing, insertRest, findLines } = importStatements(kind);
    const { key } = kind.tables[0];
    const keyOf = (values: KeyRow) => JSON.stringify(key.map((field) => values[field]));
    const rows = await this.#session.rows(insertMissing, [packageName, asJson(lines)]);
    const inserted = new Set(rows.map(keyOf));
    // The first of two lines with the same key is the row that was written.
    const imported = new Set(lines.filter(({ values }) => inserted.delete(keyOf(values))));
    if (imported.size > 0) {
      for (const rest of insertRest) await this.#session.rows(rest, [packageName, asJson([...imported])]);
    }
    const others = lines.filter((line) => !imported.has(line));
    const found =
      others.length === 0 ? [] : await this.#session.rows(findLines, [packageName, asJson(others)]);
    const existing = new Map(
      found.map(({ line }) => JSON.parse(line) as KeyRow).map((row) => [keyOf(row), row]),
    );
    return lines.map((line) =>
      imported.has(line) ? 'imported' : compare(line, existing.get(keyOf(line.values))),
    );
  }

  #noteOrders(lines: readonly ImportLine[]): void {
    for (const { kind, packageName, values } of lines) {
      if (kind.isAudit) {
        this.#heads.set(packageName, {
          order: values['order'],
          hash: Buffer.from(String(values['hash']), 'hex'),
        });
      }
      if (Object.keys(kind.counters).length === 0) continue;
      const highest = this.#counters.get(packageName) ?? counterColumns.map(() => 0);
      const orders = counterColumns.map((column, index) => {
        const field = kind.counters[column];
        return Math.max(highest[index] ?? 0, field === undefined ? 0 : Number(values[field] ?? 0));
      });
      this.#counters.set(packageName, orders);
    }
  }

  /** Rolls back what was not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

const asJson = (lines: readonly ImportLine[]): string => JSON.stringify(lines.map(({ values }) => values));

function runsOf(lines: readonly ImportLine[]): Run[] {
  const runs: (Run & { lines: ImportLine[] })[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.kind === line.kind && last.packageName === line.packageName) last.lines.push(line);
    else runs.push({ kind: line.kind, packageName: line.packageName, lines: [line] });
  }
  return runs;
}

function compare({ number, kind, values }: ImportLine, row: KeyRow | undefined): LineOutcome {
  if (row === undefined) throw new RefusedLine(number, 'another row has one of its unique values');
  const isSame = Object.keys(kind.tables[0].columns).every((field) =>
    isDeepStrictEqual(values[field], row[field]),
  );
  return isSame ? 'present' : 'different';
}
