// Writes the lines of an import in one transaction (docs/decisions/database.md).

import type { ClientConfig, DatabaseError } from 'pg';
import Type from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import { appendAction, type NewAction } from '../audit/actions.ts';
import { readDatabaseTime } from '../clocks/store-clock.ts';
import { dataProblemOf, isDataProblem } from '../connection/database-failure.ts';
import { Session } from '../connection/session.ts';
import { Bytes, NoRow, statement } from '../statements/statement.ts';
import type { Table } from '../statements/table.ts';
import { copyOf } from './columns.ts';
import { checkApp } from './import-checks.ts';
import type { ImportLine } from './import-line.ts';
import type { ImportProblems } from './import-problems.ts';
import type { Counter } from './kinds.ts';

/** After so many lines, PostgreSQL would plan with the statistics of the table before the import until autovacuum runs. */
const analyzedLinesMin = 10_000;

/**
 * A plan for any app could read the whole store for each. For an app that the statistics do not know yet, nested loops
 * would compare each of its rows with all others: 6 s instead of 0.5 s for an app of 10,000 purchases in a store of 200,000
 * (2026-11-24). On a cluster, the nodes plan as well.
 */
const checkedByHash = `set local citus.propagate_set_commands = 'local';
  set local plan_cache_mode = force_custom_plan; set local enable_nestloop = off`;

/** The least values of the counters of an app. */
export type ImportedCounters = Record<Counter, number>;

// Served by the primary key of app_counter; it reads at most one app.
const selectIsEmpty = statement({
  name: 'is_store_empty',
  text: `select action_order = 0 and not exists (select from app) as "isEmpty"
    from app_counter where package_name = '${wholeStore}'`,
  row: Type.Object({ isEmpty: Type.Boolean() }),
});

// Only for a database without apps, for which no token has been issued. Reads the one row of installation.
const adoptInstallation = statement({
  name: 'adopt_installation',
  text: `update installation set installation_id = $1 where not exists (select from app)
    returning installation_id as "installationId"`,
  row: Type.Object({ installationId: Bytes }),
});

// Served by the primary key.
const raiseCounters = statement({
  name: 'raise_counters',
  text: `update app_counter set event_order = greatest(event_order, $2), void_order = greatest(void_order, $3),
      last_voided_time = greatest(last_voided_time, $4), action_order = greatest(action_order, $5),
      counted_order = greatest(event_order, $2),
      reset_order = coalesce((select min(e.event_order) - 1 from event e where e.package_name = $1),
        greatest(event_order, $2)),
      recount_from = case when package_name <> '${wholeStore}' then 0 end
    where package_name = $1`,
  row: NoRow,
});

export class ImportWriter implements AsyncDisposable {
  readonly #session: Session;
  readonly #problems: ImportProblems;
  /** The number of written rows by table. */
  readonly #filled = new Map<string, number>();

  private constructor(session: Session, problems: ImportProblems) {
    this.#session = session;
    this.#problems = problems;
  }

  /**
   * Begins the transaction, which is rolled back unless `commit` is called.
   * @throws DatabaseUnavailable
   */
  static async begin(connection: ClientConfig, problems: ImportProblems): Promise<ImportWriter> {
    await using opening = new AsyncDisposableStack();
    const session = opening.use(await Session.open(connection));
    await session.control('begin');
    opening.move();
    return new ImportWriter(session, problems);
  }

  /** Whether the store has neither apps nor actions without an app. */
  async isStoreEmpty(): Promise<boolean> {
    return (await this.#session.rows(selectIsEmpty, []))[0]?.isEmpty === true;
  }

  /**
   * Gives a database without apps this installation id, and returns false for one with apps. A running server uses the
   * previous id until it is restarted.
   */
  async adoptInstallation(installationId: Buffer): Promise<boolean> {
    return (await this.#session.rows(adoptInstallation, [installationId])).length > 0;
  }

  /**
   * Writes lines; those that PostgreSQL rejects become problems. Bisects a rejected batch, because a cluster does not report
   * the row.
   * @throws DatabaseUnavailable
   */
  async write(lines: readonly ImportLine[]): Promise<void> {
    const kept = lines.filter(({ packageName }) => !this.#problems.refusedApps.has(packageName));
    const [first] = kept;
    if (first === undefined) return;
    const rejection = await this.#tryToWrite(kept);
    if (rejection === undefined) return;
    if (kept.length === 1) {
      if (first.kind.kind === 'app') this.#problems.refusedApps.add(first.packageName);
      this.#problems.add(first.place, rejectionText(rejection, first));
      return;
    }
    const middle = Math.ceil(kept.length / 2);
    await this.write(kept.slice(0, middle));
    await this.write(kept.slice(middle));
  }

  /** Returns the error with which PostgreSQL rejects one of the lines; none is written then. */
  async #tryToWrite(lines: readonly ImportLine[]): Promise<DatabaseError | undefined> {
    await this.#session.control('savepoint lines');
    try {
      // A statement of COPY is for one app, which is on one node of a cluster.
      for (const alike of Map.groupBy(
        lines,
        ({ kind, packageName }) => `${kind.kind} ${packageName}`,
      ).values()) {
        for (const table of alike[0]?.kind.tables ?? []) await this.#copy(table, alike);
      }
    } catch (error) {
      if (!isDataProblem(error)) throw error;
      await this.#session.control('rollback to savepoint lines; release savepoint lines');
      return error;
    }
    await this.#session.control('release savepoint lines');
    return undefined;
  }

  /** Updates the statistics of what was filled, with which the checks are planned. */
  async analyze(): Promise<void> {
    for (const [table, rows] of this.#filled) {
      if (rows >= analyzedLinesMin) await this.#session.control(`analyze ${table}`);
    }
    await this.#session.control(checkedByHash);
  }

  /** The database's time, in ms. */
  readTime(): Promise<number> {
    return readDatabaseTime(this.#session);
  }

  /** Checks the rows of an app and raises its counters. Returns the number of overdue subscriptions. */
  async finishApp(packageName: string, counters: ImportedCounters, realNow: number): Promise<number> {
    const overdue = await checkApp(this.#session, packageName, { problems: this.#problems, realNow });
    const { eventOrder, voidOrder, lastVoidedTime, actionOrder } = counters;
    const values = [packageName, eventOrder, voidOrder, lastVoidedTime, actionOrder];
    await this.#session.rows(raiseCounters, values);
    return overdue;
  }

  /** Appends the action of the import, whose lock is the last one of the transaction, and commits. */
  async commit(action: NewAction): Promise<void> {
    await appendAction(this.#session, wholeStore, action);
    await this.#session.control('commit');
  }

  async #copy(table: Table, lines: readonly ImportLine[]): Promise<void> {
    const { statement: copy, rowOf } = copyOf(table);
    await this.#session.copyIn(
      copy,
      lines.map(({ packageName, values }) => rowOf(packageName, values)).join(''),
    );
    this.#filled.set(table.table, (this.#filled.get(table.table) ?? 0) + lines.length);
  }

  /** Rolls back what was not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/** Names the fields of a unique value; PostgreSQL names their columns, of which each kind has a field. */
function rejectionText(error: DatabaseError, { kind, packageName }: ImportLine): string {
  const { message, detail = '' } = error;
  const [, key] = /^Key \(([^)]*)\)=/.exec(detail) ?? [];
  if (key === 'package_name' && kind.kind === 'app') {
    return `packageName: expected an app that the store does not have, got ${packageName}, which it has`;
  }
  // Only the message of another node of a cluster names the constraint, with the number of its shard.
  const [, check] = /check constraint "(\w+?)(?:_\d+)?"/.exec(message) ?? [];
  if (check !== undefined) return `the fields contradict each other: ${check}`;
  if (!message.startsWith('duplicate key')) return `the database rejects it: ${dataProblemOf(error)}`;
  const columns = key?.split(', ') ?? [];
  const fields = (kind.tables as readonly Table[]).flatMap((table) =>
    Object.keys(table.columns).filter((field) => columns.includes(table.columns[field]?.column ?? '')),
  );
  return fields.length === 0
    ? 'another line has one of its unique values'
    : `${fields.join(', ')}: another ${kind.kind} has the same`;
}
