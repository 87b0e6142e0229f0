// Reads the version, settings, environment and schema of a database; changes nothing.

import Type, { type Static } from 'typebox';
import { type Cluster, findCluster } from './cluster.ts';
import { findInstallation, type Installation } from './installation.ts';
import { readSchemaState, type SchemaState } from './migrate.ts';
import type { Session } from './session.ts';
import { type Queryable, statement } from './statement.ts';
import { storeSchemaSql } from './store-schema.ts';

/** Stores and buyers write in any language, and SQL_ASCII would count bytes where tables limit characters. */
const neededEncoding = 'UTF8';

/** At a stricter level, a statement that meets a concurrent change fails instead of waiting for it. */
const neededIsolation = 'read committed';

const DatabaseFacts = Type.Object({
  /** As PostgreSQL writes it, such as 18.4. */
  version: Type.String(),
  /** 180004 for 18.4. */
  versionNumber: Type.Integer(),
  bytes: Type.Integer(),
  /** Whether migrations that create tables could run. */
  mayMakeTables: Type.Boolean(),
  /** As PostgreSQL names it, such as UTF8. */
  encoding: Type.String(),
  /** The default isolation level of transactions. */
  isolation: Type.String(),
});
type DatabaseFacts = Static<typeof DatabaseFacts>;

// Reads no table of the store.
const selectFacts = statement({
  name: 'select_database_facts',
  text: `select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as "versionNumber",
    pg_database_size(current_database()) as bytes,
    coalesce(has_schema_privilege(${storeSchemaSql}, 'create'), false) as "mayMakeTables",
    current_setting('server_encoding') as encoding,
    current_setting('default_transaction_isolation') as isolation`,
  row: DatabaseFacts,
});

export interface DatabaseStatus extends DatabaseFacts, SchemaState {
  /** undefined: no server has used the database. */
  readonly installation: Installation | undefined;
  /** undefined: the database is not one of a Citus cluster. */
  readonly cluster: Cluster | undefined;
}

export async function readDatabaseFacts(queryable: Queryable): Promise<DatabaseFacts> {
  const [facts] = await queryable.rows(selectFacts, []);
  if (facts === undefined) throw new Error('The database returned no facts.');
  return facts;
}

/** @throws DatabaseUnavailable, StartProblem */
export async function readDatabaseStatus(session: Session): Promise<DatabaseStatus> {
  return {
    ...(await readDatabaseFacts(session)),
    installation: await findInstallation(session),
    cluster: await findCluster(session),
    ...(await readSchemaState(session)),
  };
}

/** Explains which setting has to change; undefined if none has. */
export function settingsProblem({ encoding, isolation }: DatabaseStatus): string | undefined {
  if (encoding !== neededEncoding) {
    return `The encoding of the database is ${encoding}, and ${neededEncoding} is needed: create another database with "create database ... template template0 encoding '${neededEncoding}'".`;
  }
  if (isolation !== neededIsolation) {
    return `default_transaction_isolation is ${isolation}, and ${neededIsolation} is needed: change it in DATABASE_URL, in PGOPTIONS, for the role or for the database.`;
  }
  return undefined;
}
