// The one row that says which environment a database belongs to, read once at start.

import Type, { type Static } from 'typebox';
import type { Environment } from '../domain/identifiers.ts';
import { StartProblem } from '../runtime/start-problem.ts';
import type { Queryable } from './database.ts';
import { DatabaseUnavailable } from './database-failure.ts';
import { NoRow, statement } from './statement.ts';

const Installation = Type.Object({
  environment: Type.Union([Type.Literal('production'), Type.Literal('sandbox')]),
  installationId: Type.Unsafe<Buffer>({}),
  oldestCompatibleSchema: Type.Integer(),
});
export type Installation = Static<typeof Installation>;

const insertInstallation = statement({
  name: 'insert_installation',
  text: `insert into installation (environment, installation_id, oldest_compatible_schema)
    values ($1, $2, 1) on conflict do nothing`,
  row: NoRow,
});

const selectInstallation = statement({
  name: 'select_installation',
  text: `select environment, installation_id as "installationId",
    oldest_compatible_schema as "oldestCompatibleSchema" from installation`,
  row: Installation,
});

/**
 * The installation of this database; the first server to come makes it with the bytes it is given.
 * @throws StartProblem when the database does not answer, when it belongs to the other environment, or when a
 * newer server has marked its schema as one that this server must not touch (docs/decisions/migrations.md).
 */
export async function requireInstallation(
  queryable: Queryable,
  own: { environment: Environment; installationId: Buffer; schemaVersion: number },
): Promise<Installation> {
  const installation = await findOrInsert(queryable, own);
  if (installation === undefined) throw new Error('The installation row is missing.');
  if (installation.environment !== own.environment) {
    throw new StartProblem(
      `This database belongs to the ${installation.environment} environment, and OPENTILL_ENVIRONMENT says ${own.environment}: give each environment a database of its own.`,
    );
  }
  if (installation.oldestCompatibleSchema > own.schemaVersion) {
    throw new StartProblem(
      `The schema of this database needs a newer server: it works with schema ${installation.oldestCompatibleSchema} and later, this server knows ${own.schemaVersion}.`,
    );
  }
  return installation;
}

async function findOrInsert(
  queryable: Queryable,
  own: { environment: Environment; installationId: Buffer },
): Promise<Installation | undefined> {
  try {
    await queryable.rows(insertInstallation, [own.environment, own.installationId]);
    return (await queryable.rows(selectInstallation, []))[0];
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new StartProblem(`The database does not answer: ${error.message}`, { cause: error });
  }
}
