// Opens a whole store as it is at one instant, which concurrent changes do not affect, for reading only.

import type { ClientConfig } from 'pg';
import Type from 'typebox';
import { StartProblem } from '../../runtime/start-problem.ts';
import { Session } from '../connection/session.ts';
import { findInstallation, type Installation } from '../schema/installation.ts';
import { readSchemaState } from '../schema/store-schema.ts';
import { statement } from '../statements/statement.ts';

/** One connection to each node of a cluster, because the snapshot of a node belongs to a connection. */
const oneConnectionPerNode = 'set local citus.max_adaptive_executor_pool_size = 1';

// Takes the snapshot of every node, by reading at most one row of each shard.
const takeSnapshots = statement({
  name: 'take_snapshots',
  text: 'select package_name as "packageName" from app_counter limit 1',
  row: Type.Object({ packageName: Type.String() }),
});

export interface StoreSnapshot {
  readonly session: Session;
  readonly installation: Installation;
}

/**
 * On a cluster, the nodes take their snapshots one after the other, so that it is consistent for each app, since all rows of
 * an app are on one machine. The caller closes the session.
 * @throws StartProblem for a database that no server of this version has prepared.
 */
export async function openSnapshot(connection: ClientConfig): Promise<StoreSnapshot> {
  await using opening = new AsyncDisposableStack();
  const session = opening.use(await Session.open(connection));
  await session.control('begin transaction isolation level repeatable read, read only');
  await session.control(oneConnectionPerNode);
  const installation = await requireOwnSchema(session);
  await session.rows(takeSnapshots, []);
  opening.move();
  return { session, installation };
}

async function requireOwnSchema(session: Session): Promise<Installation> {
  const { missing, newer } = await readSchemaState(session);
  const installation = await findInstallation(session);
  if (installation === undefined) {
    throw new StartProblem('There is nothing to read: no server has used this database.');
  }
  if (missing.length > 0) {
    throw new StartProblem(
      'The schema of this database is older than this OpenTill: run `opentill database migrate` first.',
    );
  }
  if (newer.length > 0) {
    throw new StartProblem(
      'The schema of this database is newer than this OpenTill, so not all of it would be read: use the version that runs on it.',
    );
  }
  return installation;
}
