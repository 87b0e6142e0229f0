// Opens the database of a server for tests of the store.

import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { Database } from '../../src/store/connection/database.ts';

/** An idle connection that breaks fails the test. */
export function openDatabase(connection: ClientConfig, poolSize: number): Database {
  return new Database({
    connection,
    poolSize,
    onIdleFailure: (error) => expect.unreachable(error.message),
  });
}
