// Opens the database of a server for tests of the store.

import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { Database } from '../../src/store/connection/database.ts';
import { isCluster } from '../test-databases.ts';

/** An idle connection that breaks fails the test. */
export function openDatabase(
  connection: ClientConfig,
  poolSize: number,
  { isDistributed } = { isDistributed: isCluster },
): Database {
  return new Database({
    connection,
    poolSize,
    isDistributed,
    onIdleFailure: (error) => expect.unreachable(error.message),
  });
}
