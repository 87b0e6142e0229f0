// The opentill database commands, loaded only when one of them runs.

import { readStoreConfig } from '@opentill/server/config.ts';
import { secureRandomness } from '@opentill/server/runtime/randomness.ts';
import { storeConnectionOf } from '@opentill/server/store-access.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Output } from '../terminal/output.ts';
import { databaseStatus } from './database-status.ts';
import { migrateStore } from './migrate-store.ts';

type Env = Surroundings['env'];

/** Returns the names of the migrations that were applied. */
export async function migrateDatabase(env: Env): Promise<readonly string[]> {
  const config = readStoreConfig(env);
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(config, { owner, mayMake: true });
  return await migrateStore(connection, { environment: config.environment, randomness: secureRandomness });
}

export async function showDatabase(env: Env, output: Output): Promise<void> {
  await using owner = new AsyncDisposableStack();
  const connection = await storeConnectionOf(readStoreConfig(env), { owner, mayMake: false });
  const { installation, version, bytes, migrations, missing, newer } = await databaseStatus(connection);
  const environment = installation?.environment;
  const shared = { environment: environment ?? null, postgresql: version, bytes };
  if (output.isJson) output.record({ ...shared, migrations, missing, newer });
  else {
    output.record({
      environment: environment ?? 'none yet: no server has used it',
      postgresql: version,
      bytes: bytes.toLocaleString('en'),
      schema: migrations.at(-1) ?? 'none yet',
      missing: missing.length > 0 ? missing.join(', ') : 'nothing',
      ...(newer.length > 0 && { newer: newer.join(', ') }),
    });
  }
}
