// Opens the database of a server for tests of the store.

import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { Database } from '../../../packages/server/src/store/connection/database.ts';
import { isCluster } from '../test-databases.ts';
import { testPatience } from '../wait-for.ts';

const failTest = (error: Error): void => expect.unreachable(error.message);

/** By default, an idle connection that breaks fails the test. */
export function openDatabase(
  connection: ClientConfig,
  poolSize: number,
  { isDistributed = isCluster, patience = testPatience, onIdleFailure = failTest } = {},
): Database {
  return new Database({ connection, poolSize, isDistributed, patience, onIdleFailure });
}
