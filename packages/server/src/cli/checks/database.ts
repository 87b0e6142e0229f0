// The database: whether it answers, is new enough, has settings that fit, is of the right environment and schema, and
// agrees on the time.

import type { StoreConfig } from '../../config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { StartProblem } from '../../runtime/start-problem.ts';
import { isClockRight } from '../../store/clock-difference.ts';
import { DatabaseUnavailable } from '../../store/database-failure.ts';
import { settingsProblem } from '../../store/database-settings.ts';
import { type DatabaseStatus, readDatabaseStatus } from '../database-status.ts';
import { isStoreThere, storeConnectionOf } from '../store-access.ts';
import { type CheckResult, failed, ok, skipped, warning } from './check-result.ts';

/** The oldest PostgreSQL that servers run on, as its server_version_num. */
const versionNumberMin = 150_000;

/** What a machine that keeps its time stays far below. */
const clockDifferenceMsNoted = 2_000;

export async function checkDatabase(config: StoreConfig, clock: Clock): Promise<CheckResult[]> {
  await using owner = new AsyncDisposableStack();
  let status: DatabaseStatus;
  try {
    if (!(await isStoreThere(config)))
      return [skipped('database', 'the bundled PostgreSQL: the first start makes it')];
    const connection = await storeConnectionOf(config, { owner, mayMake: false });
    status = await readDatabaseStatus(connection, clock);
  } catch (error) {
    if (error instanceof DatabaseUnavailable)
      return [failed('database', `does not answer: ${error.message}`)];
    if (error instanceof StartProblem) return [failed('database', error.message)];
    throw error;
  }
  return [
    versionOf(status),
    settingsOf(status),
    environmentOf(status, config),
    schemaOf(status),
    timeOf(status),
  ];
}

function versionOf({ version, versionNumber }: DatabaseStatus): CheckResult {
  const name = 'database';
  const needed = `expected ${versionNumberMin / 10_000} or later`;
  return versionNumber >= versionNumberMin
    ? ok(name, `PostgreSQL ${version}`)
    : failed(name, `PostgreSQL ${version}: ${needed}`);
}

function settingsOf(status: DatabaseStatus): CheckResult {
  const name = 'database settings';
  const problem = settingsProblem(status);
  return problem === undefined ? ok(name, `${status.encoding}, ${status.isolation}`) : failed(name, problem);
}

function environmentOf({ environment }: DatabaseStatus, config: StoreConfig): CheckResult {
  const name = 'environment';
  if (environment === undefined) return ok(name, `${config.environment}, once a server has been there`);
  return environment === config.environment
    ? ok(name, environment)
    : failed(
        name,
        `the database belongs to ${environment}, and OPENTILL_ENVIRONMENT says ${config.environment}`,
      );
}

function schemaOf({ environment, migrations, missing, newer, mayMakeTables }: DatabaseStatus): CheckResult {
  const name = 'schema';
  if (missing.length > 0 && !mayMakeTables)
    return failed(name, 'the next start has to make tables, and this account has no right to');
  if (environment === undefined) return skipped(name, 'the first start makes it');
  if (newer.length > 0) return warning(name, `a newer OpenTill has changed it: ${newer.join(', ')}`);
  if (missing.length > 0) return warning(name, `the next start will run ${missing.join(', ')}`);
  return ok(name, migrations.at(-1) ?? '');
}

function timeOf({ clockDifferenceMs }: DatabaseStatus): CheckResult {
  const name = 'clock';
  const detail = `${clockDifferenceMs} ms away from that of the database's machine`;
  if (!isClockRight(clockDifferenceMs)) return failed(name, `${detail}: set them right`);
  return clockDifferenceMs > clockDifferenceMsNoted
    ? warning(name, detail)
    : ok(name, 'agrees with the database');
}
