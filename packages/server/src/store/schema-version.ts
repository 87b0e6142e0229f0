// How far the schema of a database is: which migrations have run on it. Changes nothing.

import Type from 'typebox';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** The table in which the migrations that have run are noted. */
export const migrationsTable = 'schema_migration';

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

/** The number of a migration, which its name begins with. */
export function numberOfMigration(name: string): number {
  return Number.parseInt(name, 10);
}
