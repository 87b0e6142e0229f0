// Reads a whole store at one instant, app by app, as the lines of an export. PostgreSQL writes the lines, so that no row
// is kept in memory (docs/decisions/database.md).

import type { ClientConfig } from 'pg';
import Type from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import type { Session } from '../connection/session.ts';
import type { Installation } from '../schema/installation.ts';
import { statement } from '../statements/statement.ts';
import { joined, keyColumns, lineText } from './columns.ts';
import { type TransferKind, transferKinds } from './kinds.ts';
import { openSnapshot } from './store-snapshot.ts';

// Served by the primary key, in its order.
const selectPackageNames = statement({
  name: 'select_package_names',
  text: `select package_name as "packageName" from app
    where $1::text[] is null or package_name = any($1::text[]) order by package_name`,
  row: Type.Object({ packageName: Type.String() }),
});

/** The tables with nearly all rows of a large store. */
const countOf = (table: string) =>
  `(select count(*) from ${table} where $1::text[] is null or package_name = any($1::text[]))`;

// Reads all rows of the apps.
const countRows = statement({
  name: 'count_exported_rows',
  text: `select ${['subscription', 'purchase', 'event'].map(countOf).join(' + ')} as count`,
  row: Type.Object({ count: Type.Integer() }),
});

export class ExportReader implements AsyncDisposable {
  readonly installation: Installation;
  /** In their order. */
  readonly packageNames: readonly string[];
  readonly #session: Session;

  private constructor(session: Session, installation: Installation, packageNames: readonly string[]) {
    this.#session = session;
    this.installation = installation;
    this.packageNames = packageNames;
  }

  /**
   * Takes a snapshot of these apps of the store, or of all if they are undefined.
   * @throws StartProblem as `openSnapshot` does.
   */
  static async open(
    connection: ClientConfig,
    packageNames: readonly string[] | undefined,
  ): Promise<ExportReader> {
    await using opening = new AsyncDisposableStack();
    const { session, installation } = await openSnapshot(connection);
    opening.use(session);
    const apps = await session.rows(selectPackageNames, [packageNames ?? null]);
    opening.move();
    return new ExportReader(
      session,
      installation,
      apps.map(({ packageName }) => packageName),
    );
  }

  /** The number of lines of the large tables: nearly all lines of a large export. */
  async countLines(packageNames: readonly string[] | undefined): Promise<number> {
    const [row] = await this.#session.rows(countRows, [packageNames ?? null]);
    return row?.count ?? 0;
  }

  /** All lines of an app, or those without an app for `wholeStore`, in chunks that may start and end within a line. */
  async *linesOf(packageName: string): AsyncGenerator<Buffer> {
    for (const kind of transferKinds) {
      if (kind.isSandboxOnly && this.installation.environment !== 'sandbox') continue;
      if (packageName === wholeStore && !kind.isStoreWide) continue;
      yield* this.#session.copyOut(copyText(kind, this.#session.literal(packageName)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/** CSV whose quote and delimiter never occur unescaped in JSON leaves each line unchanged. */
export const jsonLines = `(format csv, quote e'\\x01', delimiter e'\\x02')`;

/** Served by the primary keys, in their order. */
function copyText({ kind, tables }: TransferKind, packageName: string): string {
  const [{ table }] = tables;
  return `copy (
      select ${lineText(kind, tables)} from ${joined(tables)}
      where ${table}.package_name = ${packageName} order by ${keyColumns(tables[0]).join(', ')}
    ) to stdout ${jsonLines}`;
}
