// The database of a server as a test of the store uses it.

import type { ClientConfig } from 'pg';
import { expect } from 'vitest';
import { Database } from '../../src/store/connection/database.ts';

/** A connection that breaks while nobody uses it fails the test. */
export function openDatabase(connection: ClientConfig, poolSize: number): Database {
  return new Database({
    connection,
    poolSize,
    onIdleFailure: (error) => expect.unreachable(error.message),
  });
}
