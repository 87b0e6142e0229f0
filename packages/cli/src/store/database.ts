// The database commands: apply migrations and print the status of a database.

import { readStoreConfig } from '@opentill/server/config.ts';
import { secureRandomness } from '@opentill/server/runtime/randomness.ts';
import type { Cluster } from '@opentill/server/store/connection/cluster.ts';
import { readDatabaseStatus } from '@opentill/server/store/connection/database-status.ts';
import { installationIdBytes } from '@opentill/server/store/connection/installation.ts';
import { prepareDatabase } from '@opentill/server/store/connection/prepared-database.ts';
import { Session } from '@opentill/server/store/connection/session.ts';
import { storeConnectionOf } from '@opentill/server/store-access.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';

type Env = Surroundings['env'];

/** Applies missing migrations without starting a server and returns their names. */
export async function migrateDatabase(env: Env): Promise<readonly string[]> {
  const config = readStoreConfig(env);
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  await using session = await Session.open(connection);
  const installationId = secureRandomness.bytes(installationIdBytes);
  const { environment } = config;
  const { migrations } = await prepareDatabase(session, connection, { environment, installationId });
  return migrations;
}

export async function printDatabaseStatus(env: Env, output: Output): Promise<void> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  await using session = await Session.open(connection);
  const { installation, version, bytes, migrations, missing, newer, cluster } =
    await readDatabaseStatus(session);
  const environment = installation?.environment;
  if (output.isJson) {
    output.record({
      environment: environment ?? null,
      postgresql: version,
      bytes,
      migrations,
      missing,
      newer,
      cluster: cluster ?? null,
    });
    return;
  }
  output.record({
    environment: environment ?? 'none yet: no server has used it',
    postgresql: version,
    bytes: bytes.toLocaleString('en'),
    schema: migrations.at(-1) ?? 'none yet',
    missing: missing.length > 0 ? missing.join(', ') : 'nothing',
    ...(newer.length > 0 && { newer: newer.join(', ') }),
    ...(cluster !== undefined && clusterFields(cluster)),
  });
}

/** The fields of a cluster as the database commands print them. */
export function clusterFields({ nodes, shards, undistributed }: Cluster) {
  return {
    nodes: nodes.join(', '),
    shards,
    'not distributed': undistributed.length > 0 ? undistributed.join(', ') : 'nothing',
  };
}
