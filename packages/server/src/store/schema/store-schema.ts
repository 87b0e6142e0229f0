// The schema of a store: where its tables are, its lock, and which migrations have run.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

const migrationsFolder = new URL('../migrations/', import.meta.url);

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

// Served by an index of the catalog.
const findSchema = statement({
  name: 'find_schema',
  text: `select to_regclass('${migrationsTable}') is not null as "isThere",
    coalesce(current_schema(), 'pg_') not like 'pg\\_%' as "hasPlace",
    current_setting('search_path') as "searchPath"`,
  row: Type.Object({ isThere: Type.Boolean(), hasPlace: Type.Boolean(), searchPath: Type.String() }),
});

// Reads the whole table, which has a row for each migration. Builds before the first release had no column for hashes.
const selectMigrations = statement({
  name: 'select_migrations',
  text: `select name, to_jsonb(m) ->> 'hash' as hash from ${migrationsTable} m order by name`,
  row: Type.Object({ name: Type.String(), hash: nullable(Type.String()) }),
});

/** Locks the schema against changes by others until the connection ends; false if one is running. */
export async function tryLockSchema(queryable: Queryable): Promise<boolean> {
  return (await queryable.rows(lockSchema, []))[0]?.isLocked === true;
}

/**
 * Whether a server has used the database.
 * @throws StartProblem if the connection's search_path names no existing schema.
 */
export async function isSchemaThere(queryable: Queryable): Promise<boolean> {
  const [schema] = await queryable.rows(findSchema, []);
  if (schema?.hasPlace === false) {
    throw new StartProblem(
      `The search_path of the database is ${schema.searchPath}, but this role can create no tables there: create the schema, or change the setting in DATABASE_URL, PGOPTIONS, the role or the database.`,
    );
  }
  return schema?.isThere === true;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** A hash of the text with LF line ends, which a checkout may have changed. */
  readonly hash: string;
}

export async function readMigration(name: string): Promise<Migration> {
  const sql = (await readFile(new URL(`${name}.sql`, migrationsFolder), 'utf8')).replaceAll('\r\n', '\n');
  return { name, sql, hash: createHash('sha256').update(sql).digest('hex') };
}

/** The names of the migrations of this version, in order. */
async function listOwnMigrations(): Promise<string[]> {
  const files = await readdir(migrationsFolder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .sort();
}

/** The number with which the newest migration of this version starts. */
export async function ownSchemaVersion(): Promise<number> {
  return Number.parseInt((await listOwnMigrations()).at(-1) ?? '', 10);
}

export interface SchemaState {
  /** The names of the migrations that have run, in order. */
  readonly migrations: readonly string[];
  /** Migrations of this version that have not run. */
  readonly missing: readonly string[];
  /** Migrations of a newer version that have run. */
  readonly newer: readonly string[];
}

/** @throws StartProblem if a migration that has run differs from this version's. */
export async function readSchemaState(queryable: Queryable): Promise<SchemaState> {
  const own = await listOwnMigrations();
  const rows = (await isSchemaThere(queryable)) ? await queryable.rows(selectMigrations, []) : [];
  const known = rows.filter(({ name }) => own.includes(name));
  const hashes = await Promise.all(known.map(async ({ name }) => (await readMigration(name)).hash));
  const changed = known.find(({ hash }, index) => hash !== hashes[index]);
  if (changed !== undefined) {
    throw new StartProblem(
      `The schema of this database was created by another build of OpenTill, whose migration ${changed.name} differs: use that build, or an empty database.`,
    );
  }
  const migrations = rows.map(({ name }) => name);
  return {
    migrations,
    missing: own.filter((name) => !migrations.includes(name)),
    newer: migrations.filter((name) => !own.includes(name)),
  };
}
