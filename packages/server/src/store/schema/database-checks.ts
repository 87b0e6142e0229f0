// Reads the state of a database, and checks whether a server can use it: version, settings, environment, schema and
// clock. Changes nothing.

import type { ClientConfig } from 'pg';
import Type, { type Static } from 'typebox';
import type { Environment } from '../../domain/identifiers.ts';
import type { Clock } from '../../runtime/clock.ts';
import {
  type CheckResult,
  failed,
  ok,
  skipped,
  unpreparedDatabase,
  unreachableDatabase,
  warning,
} from '../../runtime/start-problem.ts';
import { DatabaseUnavailable } from '../connection/database-failure.ts';
import { Session } from '../connection/session.ts';
import { nullable, type Queryable, statement } from '../statements/statement.ts';
import { type Cluster, clusterProblem, findCluster, findUnreachableNodes } from './cluster.ts';
import { environmentProblem, findInstallation, type Installation, schemaProblem } from './installation.ts';
import { ownSchemaVersion, readSchemaState, type SchemaState, storeSchemaSql } from './store-schema.ts';

/** The oldest supported PostgreSQL, as its server_version_num. */
const versionNumberMin = 150_000;

/** A larger clock skew is worth a warning: a machine that uses NTP stays far below, in ms. */
const clockSkewNotedMs = 2_000;

// Reads no table, since the schema may not exist yet.
const selectClock = statement({
  name: 'select_clock',
  text: 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  row: Type.Object({ now: Type.Integer() }),
});

/** Stores and buyers write in any language, and SQL_ASCII would count bytes where tables limit characters. */
const neededEncoding = 'UTF8';

/** The name of the check whose warning a start logs. */
export const settingsCheck = 'database settings';

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
  /** The version of the default collation when the database was created; null if none was recorded. */
  collationVersion: nullable(Type.String()),
  /** That of the library which the database uses now. */
  libraryVersion: nullable(Type.String()),
  isStandby: Type.Boolean(),
  isReadOnly: Type.Boolean(),
});
type DatabaseFacts = Static<typeof DatabaseFacts>;

// Reads no table of the store.
const selectFacts = statement({
  name: 'select_database_facts',
  text: `select current_setting('server_version') as version,
    current_setting('server_version_num')::integer as "versionNumber",
    pg_database_size(current_database()) as bytes,
    coalesce(has_schema_privilege(${storeSchemaSql}, 'create'), false) as "mayMakeTables",
    current_setting('server_encoding') as encoding, datcollversion as "collationVersion",
    pg_database_collation_actual_version(oid) as "libraryVersion",
    pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly"
    from pg_catalog.pg_database where datname = current_database()`,
  row: DatabaseFacts,
});

export interface DatabaseStatus extends DatabaseFacts, SchemaState {
  /** undefined: no server has used the database. */
  readonly installation: Installation | undefined;
  /** undefined: the database is not one of a Citus cluster. */
  readonly cluster: Cluster | undefined;
}

/** @throws DatabaseUnavailable, StartProblem */
export async function readDatabaseStatus(session: Session): Promise<DatabaseStatus> {
  const [facts] = await session.rows(selectFacts, []);
  if (facts === undefined) throw new Error('The database returned no facts.');
  // Other tables are read once it is known which schema this is.
  const schema = await readSchemaState(session);
  return {
    ...facts,
    ...schema,
    installation: await findInstallation(session),
    cluster: await findCluster(session),
  };
}

interface DatabaseUser {
  readonly environment: Environment;
  /** undefined: the clock is not checked. */
  readonly clock: Clock | undefined;
}

/** A database that cannot be read is one failed result. */
export async function databaseChecks(
  connection: ClientConfig,
  { environment, clock }: DatabaseUser,
): Promise<CheckResult[]> {
  try {
    await using session = await Session.open(connection);
    const status = await readDatabaseStatus(session);
    return [
      versionOf(status),
      settingsOf(status),
      environmentOf(status, environment),
      schemaOf(status, await ownSchemaVersion()),
      ...clusterOf(status),
      ...(clock === undefined ? [] : [clockOf(await measureDifference(session, clock))]),
    ];
  } catch (error) {
    const problemOf = error instanceof DatabaseUnavailable ? unreachableDatabase : unpreparedDatabase;
    return [failed('database', problemOf(error).message)];
  }
}

function versionOf({ version, versionNumber }: DatabaseStatus): CheckResult {
  const name = 'database';
  return versionNumber >= versionNumberMin
    ? ok(name, `PostgreSQL ${version}`)
    : failed(name, `The database is PostgreSQL ${version}; expected ${versionNumberMin / 10_000} or later.`);
}

function settingsOf(status: DatabaseStatus): CheckResult {
  const name = settingsCheck;
  const { encoding, isStandby, isReadOnly, collationVersion, libraryVersion } = status;
  if (encoding !== neededEncoding) {
    return failed(
      name,
      `The encoding of the database is ${encoding}, and ${neededEncoding} is needed: create another database with "create database ... template template0 encoding '${neededEncoding}'".`,
    );
  }
  if (isStandby) return failed(name, 'The database is a standby: use the address of the primary.');
  if (isReadOnly) {
    return failed(
      name,
      'default_transaction_read_only is on, so that nothing can be stored: turn it off for the role, the database or PostgreSQL.',
    );
  }
  if (collationVersion !== null && collationVersion !== libraryVersion) {
    return warning(
      name,
      `The collation of the database was recorded with version ${collationVersion}, but its library has version ${libraryVersion}: OpenTill's indexes are not affected; rebuild other indexes of text, if there are any, and run "alter database ... refresh collation version".`,
    );
  }
  return ok(name, encoding);
}

function environmentOf({ installation }: DatabaseStatus, environment: Environment): CheckResult {
  const name = 'environment';
  if (installation === undefined) return ok(name, `${environment}, as soon as a server has started`);
  const problem = environmentProblem(installation, environment);
  return problem === undefined ? ok(name, environment) : failed(name, problem);
}

function schemaOf(status: DatabaseStatus, ownVersion: number): CheckResult {
  const name = 'schema';
  const { installation, cluster, migrations, missing, newer, mayMakeTables } = status;
  const problem = installation && schemaProblem(installation, ownVersion);
  if (problem !== undefined) return failed(name, problem);
  if (missing.length > 0 && cluster?.isCoordinator === false) {
    return failed(
      name,
      'The schema of this database is behind this server: run opentill database migrate on the coordinator of the cluster.',
    );
  }
  if (missing.length > 0 && !mayMakeTables) {
    return failed(
      name,
      'The schema needs migrations, but this account may not create tables: run opentill database migrate with an account that may.',
    );
  }
  if (installation === undefined) return skipped(name, 'created by the first start');
  if (newer.length > 0) return warning(name, `changed by a newer version of OpenTill: ${newer.join(', ')}`);
  if (missing.length > 0) return warning(name, `the next start will apply ${missing.join(', ')}`);
  return ok(name, migrations.at(-1) ?? '');
}

function clusterOf({ cluster }: DatabaseStatus): CheckResult[] {
  if (cluster === undefined) return [];
  const name = 'cluster';
  const problem = clusterProblem(cluster);
  if (problem !== undefined) return [failed(name, problem)];
  const nodes = `${cluster.nodes.length} ${cluster.nodes.length === 1 ? 'node' : 'nodes'}`;
  if (cluster.shards === 0) return [warning(name, `${nodes}; the tables are only on the coordinator`)];
  return [ok(name, `${nodes}, ${cluster.shards} shards of each table`)];
}

/** Checks whether the nodes of a cluster reach each other; no results for a database without one. */
export async function nodeChecks(connection: ClientConfig): Promise<CheckResult[]> {
  await using session = await Session.open(connection);
  const cluster = await findCluster(session);
  if (cluster === undefined) return [];
  const unreachable = await findUnreachableNodes(session);
  const name = 'nodes';
  return unreachable.length === 0
    ? [ok(name, cluster.nodes.join(', '))]
    : [failed(name, `These nodes of the cluster do not respond: ${unreachable.join(', ')}`)];
}

/** The least possible difference in ms: the database reads its clock at some moment between query and result. */
async function measureDifference(queryable: Queryable, clock: Clock): Promise<number> {
  const before = clock.now();
  const [database] = await queryable.rows(selectClock, []);
  const databaseNow = database?.now ?? before;
  return Math.max(before - databaseNow, databaseNow - clock.now(), 0);
}

function clockOf(differenceMs: number): CheckResult {
  const name = 'clock';
  return differenceMs > clockSkewNotedMs
    ? warning(
        name,
        `${differenceMs} ms away from the clock of the database's machine: synchronize both (NTP)`,
      )
    : ok(name, 'agrees with the database');
}
