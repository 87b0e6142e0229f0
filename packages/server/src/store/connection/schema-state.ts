// How the schema of a database stands to this version's.

import type { Queryable } from './database.ts';
import { listOwnMigrations } from './migrate.ts';
import { listMigrations } from './schema-version.ts';

export interface SchemaState {
  /** Migrations that have run, by name and in order. */
  readonly migrations: readonly string[];
  /** Those of this version that have not. */
  readonly missing: readonly string[];
  /** Those that a newer version has run. */
  readonly newer: readonly string[];
}

export async function readSchemaState(queryable: Queryable): Promise<SchemaState> {
  const [own, migrations] = [await listOwnMigrations(), await listMigrations(queryable)];
  return {
    migrations,
    missing: own.filter((name) => !migrations.includes(name)),
    newer: migrations.filter((name) => !own.includes(name)),
  };
}
