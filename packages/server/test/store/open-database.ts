// Opens the database of a server for tests of the store.

import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { Database } from '../../src/store/connection/database.ts';
import { isCluster } from '../test-databases.ts';
import { testPatience } from '../wait-for.ts';

/** An idle connection that breaks fails the test. */
export function openDatabase(
  connection: ClientConfig,
  poolSize: number,
  { isDistributed = isCluster, patience = testPatience } = {},
): Database {
  return new Database({
    connection,
    poolSize,
    isDistributed,
    patience,
    onIdleFailure: (error) => expect.unreachable(error.message),
  });
}
