// The bundled PostgreSQL of a server that runs: what another program on the data folder can connect to.

import { readFile } from 'node:fs/promises';
import { refuseLostCluster } from './cluster.ts';
import { databaseName, databaseUser } from './database-names.ts';
import { explainRefusal } from './explained-refusals.ts';
import { ownConnection } from './own-connection.ts';
import { findPlace, isThere } from './place.ts';
import { findPostmaster, readPostmasterFile } from './postmaster.ts';
import { endpointOf } from './predecessor.ts';
import { askWhetherServerLives } from './server-lock.ts';
import type { EmbeddedPostgres } from './start-embedded-postgres.ts';

/**
 * How to connect to the PostgreSQL of the server that runs on a data folder; undefined when none does. It ends
 * with that server.
 */
export async function findLivingPostgres(
  dataFolder: string,
): Promise<EmbeddedPostgres['connection'] | undefined> {
  const place = await findPlace(dataFolder);
  const noted = await readPostmasterFile(place.clusterFolder);
  if (noted === undefined || (await findPostmaster(place.clusterFolder)) !== noted.pid) return undefined;
  if (!(await isThere(place.passwordPath))) return undefined;
  const password = await explainRefusal(`cannot read ${place.passwordPath}`, () =>
    readFile(place.passwordPath, 'utf8'),
  );
  const endpoint = endpointOf(noted, { user: databaseUser, password: password.trim() });
  if ((await askWhetherServerLives(endpoint)) !== 'lives') return undefined;
  return { ...ownConnection, ...endpoint, database: databaseName };
}

/**
 * Whether a first start has made a database for a data folder that is there.
 * @throws StartProblem when it has, and the database is gone.
 */
export async function hasCluster(dataFolder: string): Promise<boolean> {
  const place = await findPlace(dataFolder);
  await refuseLostCluster(place);
  return isThere(place.clusterFolder);
}
