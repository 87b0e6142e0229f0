// Reads which migrations have run on a database; changes nothing.

import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** The table in which the migrations that have run are noted. */
export const migrationsTable = 'schema_migration';

/** The first migration of the versions before the first release, whose schema no later migration continues. */
const unreleasedMigration = '0001_ledger';

/** SQL for the schema that has the store already, as statements see it, or else the one in which tables are made. */
export const storeSchemaSql = `coalesce(
  (select nspname::text from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid = to_regclass('${migrationsTable}')),
  current_schema()::text)`;

const isNoted = statement({
  name: 'are_migrations_noted',
  text: `select to_regclass('${migrationsTable}') is not null as "isThere"`,
  row: Type.Object({ isThere: Type.Boolean() }),
});

const selectMigrations = statement({
  name: 'select_migrations',
  text: `select name from ${migrationsTable} order by id`,
  row: Type.Object({ name: Type.String() }),
});

/** The names of the migrations that have run, in their order. */
export async function listMigrations(queryable: Queryable): Promise<string[]> {
  const [noted] = await queryable.rows(isNoted, []);
  if (noted?.isThere !== true) return [];
  return (await queryable.rows(selectMigrations, [])).map(({ name }) => name);
}

/** @throws StartProblem for a database of a version before the first release. */
export async function refuseUnreleasedSchema(queryable: Queryable): Promise<void> {
  if (!(await listMigrations(queryable)).includes(unreleasedMigration)) return;
  throw new StartProblem(
    'This database was made by an earlier version of OpenTill: export it with that version (`opentill export`), move the data folder away or use an empty database, start this version, and import the export (`opentill import`).',
  );
}

/** The number of a migration, which its name begins with. */
export function numberOfMigration(name: string): number {
  return Number.parseInt(name, 10);
}
