// The one row with the environment that a database belongs to, read once at start.

import * as fields from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import type { Environment } from '../../domain/identifiers.ts';
import { StartProblem, unpreparedDatabase } from '../../runtime/start-problem.ts';
import type { Queryable } from '../connection/database.ts';
import { DatabaseUnavailable } from '../connection/database-failure.ts';
import { Bytes, NoRow, statement } from '../statements/statement.ts';
import { isSchemaThere } from './store-schema.ts';

/** The length of the random id of an installation. */
export const installationIdBytes = 16;

const Installation = Type.Object({
  environment: fields.Environment,
  installationId: Bytes,
  oldestCompatibleSchema: Type.Integer(),
});
export type Installation = Static<typeof Installation>;

// Checked by the primary key, which allows one row.
const insertInstallation = statement({
  name: 'insert_installation',
  text: `insert into installation (environment, installation_id)
    values ($1, $2) on conflict do nothing`,
  row: NoRow,
});

// Reads the only row.
const selectInstallation = statement({
  name: 'select_installation',
  text: `select environment, installation_id as "installationId",
    oldest_compatible_schema as "oldestCompatibleSchema" from installation`,
  row: Installation,
});

interface OwnServer {
  readonly environment: Environment;
  readonly schemaVersion: number;
}

/**
 * Returns the installation of this database; the first server creates it with the given id.
 * @throws StartProblem if the database does not respond, belongs to the other environment, or has a schema that a newer
 * server has marked as incompatible (docs/decisions/database.md).
 */
export async function requireInstallation(
  queryable: Queryable,
  own: OwnServer & { readonly installationId: Buffer },
): Promise<Installation> {
  const installation = await responded(async () => {
    const [existing] = await queryable.rows(selectInstallation, []);
    if (existing !== undefined) return existing;
    await queryable.rows(insertInstallation, [own.environment, own.installationId]);
    return (await queryable.rows(selectInstallation, []))[0];
  });
  if (installation === undefined) throw new Error('The installation row is missing.');
  const problem =
    environmentProblem(installation, own.environment) ?? schemaProblem(installation, own.schemaVersion);
  if (problem !== undefined) throw new StartProblem(problem);
  return installation;
}

/** Explains why a server of `environment` must not use this database; undefined if it may. */
export function environmentProblem(installation: Installation, environment: Environment): string | undefined {
  if (installation.environment === environment) return undefined;
  return `This database belongs to the ${installation.environment} environment, but OPENTILL_ENVIRONMENT is ${environment}: use a separate database for each environment.`;
}

/** Explains why a server of this schema version must not use this database; undefined if it may. */
export function schemaProblem(installation: Installation, schemaVersion: number): string | undefined {
  if (installation.oldestCompatibleSchema <= schemaVersion) return undefined;
  return `The schema of this database needs a newer server: it requires version ${installation.oldestCompatibleSchema} or later, and this server has ${schemaVersion}.`;
}

/**
 * Returns undefined for a database that no server has used.
 * @throws StartProblem if the connection's search_path names no existing schema.
 */
export async function findInstallation(queryable: Queryable): Promise<Installation | undefined> {
  return (await isSchemaThere(queryable)) ? (await queryable.rows(selectInstallation, []))[0] : undefined;
}

async function responded<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw unpreparedDatabase(error);
    throw new StartProblem(`The database does not respond: ${error.message}`, { cause: error });
  }
}
