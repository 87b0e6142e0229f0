// Where the tables of the store are, and the lock of their schema.

import Type from 'typebox';
import { type Queryable, statement } from './statement.ts';

/** The table that lists the migrations that have run. */
export const migrationsTable = 'schema_migration';

/** SQL for the schema that contains the store, or else the schema in which tables are created. */
export const storeSchemaSql = `coalesce(
  (select nspname::text from pg_catalog.pg_class join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid = to_regclass('${migrationsTable}')),
  current_schema()::text)`;

/** A number that nothing else in a database locks. */
const schemaLock = '7241865325823964';

// Reads no table.
const lockSchema = statement({
  name: 'lock_schema',
  text: `select pg_try_advisory_lock(${schemaLock}) as "isLocked"`,
  row: Type.Object({ isLocked: Type.Boolean() }),
});

/** Locks the schema against changes by others until the connection ends; false if one is running. */
export async function tryLockSchema(queryable: Queryable): Promise<boolean> {
  return (await queryable.rows(lockSchema, []))[0]?.isLocked === true;
}
