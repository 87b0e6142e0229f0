// Reads all that a store keeps, app by app, as it is at one instant: what comes out are the lines of an export.
// PostgreSQL writes them itself, so that no row is held here (docs/decisions/import-and-export.md).

import type { ClientConfig } from 'pg';
import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { findInstallation, type Installation } from '../connection/installation.ts';
import { readSchemaState } from '../connection/migrate.ts';
import { Session } from '../connection/session.ts';
import { statement } from '../connection/statement.ts';
import { joined, keyColumns, lineText } from './columns.ts';
import { type TransferKind, transferKinds } from './kinds.ts';

/** Names of apps that are held at a time. */
const appsPageMax = 1_000;

// Served by the primary key, in its order.
const selectPackageNames = statement({
  name: 'select_package_names',
  text: `select package_name as "packageName" from app
    where package_name > $1 and ($2::text[] is null or package_name = any($2::text[]))
    order by package_name limit $3`,
  row: Type.Object({ packageName: Type.String() }),
});

const growing = ['subscription', 'purchase', 'event'] as const;
const countOf = (table: string) =>
  `(select count(*) from ${table} where $1::text[] is null or package_name = any($1::text[]))`;

const countRows = statement({
  name: 'count_exported_rows',
  text: `select ${growing.map(countOf).join(' + ')} as count`,
  row: Type.Object({ count: Type.Integer() }),
});

export class ExportReader implements AsyncDisposable {
  readonly installation: Installation;
  readonly #session: Session;
  /** Of the apps wanted; null: of all. */
  readonly #wanted: readonly string[] | null;

  private constructor(session: Session, installation: Installation, wanted: readonly string[] | null) {
    this.#session = session;
    this.installation = installation;
    this.#wanted = wanted;
  }

  /**
   * From here on the store is read as it is at this instant, whatever is written meanwhile. On a cluster that
   * holds for each app, since all of an app lies on one machine.
   * @throws StartProblem for a database that no server of this version has prepared.
   */
  static async open(
    connection: ClientConfig,
    packageNames: readonly string[] | undefined,
  ): Promise<ExportReader> {
    await using opening = new AsyncDisposableStack();
    const session = opening.use(await Session.open(connection));
    await session.control('begin transaction isolation level repeatable read, read only');
    const installation = await requireOwnSchema(session);
    const reader = new ExportReader(session, installation, packageNames ?? null);
    opening.move();
    return reader;
  }

  /** How many lines of the kinds that grow there will be: nearly all of a large export. */
  async countLines(): Promise<number> {
    const [row] = await this.#session.rows(countRows, [this.#wanted]);
    return row?.count ?? 0;
  }

  /** The apps that will be exported, in the order of their package names. */
  async *packageNames(): AsyncGenerator<string> {
    for (let after = ''; ; ) {
      const page = await this.#session.rows(selectPackageNames, [after, this.#wanted, appsPageMax]);
      for (const { packageName } of page) yield packageName;
      const last = page.at(-1);
      if (last === undefined || page.length < appsPageMax) return;
      after = last.packageName;
    }
  }

  /** All lines of an app, in pieces; a piece may begin and end within a line. */
  async *linesOf(packageName: string): AsyncGenerator<Buffer> {
    for (const kind of transferKinds) {
      if (kind.isSandboxOnly && this.installation.environment !== 'sandbox') continue;
      yield* this.#session.copyOut(copyText(kind, this.#session.literal(packageName)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/**
 * Served by the primary keys, in their order. CSV with two marks that no JSON holds unescaped writes each line as
 * it is.
 */
function copyText({ kind, tables }: TransferKind, packageName: string): string {
  const [{ table }] = tables;
  return `copy (
      select ${lineText(kind, tables)} from ${joined(tables)}
      where ${table}.package_name = ${packageName} order by ${keyColumns(tables[0]).join(', ')}
    ) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;
}

async function requireOwnSchema(session: Session): Promise<Installation> {
  const installation = await findInstallation(session);
  if (installation === undefined) {
    throw new StartProblem('There is nothing to export: no server has been on this database.');
  }
  const { missing, newer } = await readSchemaState(session);
  if (missing.length > 0) {
    throw new StartProblem(
      'The schema of this database is older than this OpenTill: run `opentill database migrate` first.',
    );
  }
  if (newer.length > 0) {
    throw new StartProblem(
      'The schema of this database is newer than this OpenTill, which would leave things out: export with the version that runs on it.',
    );
  }
  return installation;
}
