// What a database says of itself and of the account: its version, its size. No row of a store is read here.

import Type, { type Static } from 'typebox';
import type { Queryable } from './database.ts';
import { storeSchemaSql } from './schema-version.ts';
import { statement } from './statement.ts';

const DatabaseFacts = Type.Object({
  /** As PostgreSQL writes it, such as 18.4. */
  version: Type.String(),
  /** 180004 for 18.4. */
  versionNumber: Type.Integer(),
  bytes: Type.Integer(),
  /** Whether migrations that make tables could run. */
  mayMakeTables: Type.Boolean(),
});
export type DatabaseFacts = Static<typeof DatabaseFacts>;

const selectFacts = statement({
  name: 'select_database_facts',
  text: `select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as "versionNumber",
    pg_database_size(current_database()) as bytes,
    coalesce(has_schema_privilege(${storeSchemaSql}, 'create'), false) as "mayMakeTables"`,
  row: DatabaseFacts,
});

export async function readDatabaseFacts(queryable: Queryable): Promise<DatabaseFacts> {
  const [facts] = await queryable.rows(selectFacts, []);
  if (facts === undefined) throw new Error('A database gave no facts.');
  return facts;
}
