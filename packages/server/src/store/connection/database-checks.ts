// Checks whether a server can use a database: version, settings, environment, schema and clock. Changes nothing.

import type { ClientConfig } from 'pg';
import Type from 'typebox';
import type { Environment } from '../../domain/identifiers.ts';
import { type CheckResult, failed, ok, skipped, warning } from '../../runtime/check-result.ts';
import type { Clock } from '../../runtime/clock.ts';
import { unpreparedDatabase, unreachableDatabase } from '../../runtime/start-problem.ts';
import { clusterProblem, findCluster, findUnreachableNodes } from './cluster.ts';
import { DatabaseUnavailable } from './database-failure.ts';
import { type DatabaseStatus, readDatabaseStatus, settingsProblem } from './database-status.ts';
import { environmentProblem, schemaProblem } from './installation.ts';
import { ownSchemaVersion } from './migrate.ts';
import { Session } from './session.ts';
import { type Queryable, statement } from './statement.ts';

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
  const name = 'database settings';
  const problem = settingsProblem(status);
  return problem === undefined ? ok(name, `${status.encoding}, ${status.isolation}`) : failed(name, problem);
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

/** Checks whether the nodes of a cluster answer each other; no results for a database without one. */
export async function nodeChecks(connection: ClientConfig): Promise<CheckResult[]> {
  await using session = await Session.open(connection);
  const cluster = await findCluster(session);
  if (cluster === undefined) return [];
  const unreachable = await findUnreachableNodes(session);
  const name = 'nodes';
  return unreachable.length === 0
    ? [ok(name, cluster.nodes.join(', '))]
    : [failed(name, `These nodes of the cluster do not answer: ${unreachable.join(', ')}`)];
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
