// The error for an unreachable database.

import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { DatabaseUnavailable, databaseFailure } from '../../src/store/connection/database-failure.ts';

test('the error of a host name with several unreachable addresses lists each address', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: 'several',
    port: 9,
    lookup: (_name, _options, done) => done(null, addresses),
  });
  const failure = databaseFailure(await once(socket, 'connect').catch((error: unknown) => error));
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
  expect((failure as Error).message).toBe(
    'connect ECONNREFUSED 127.0.0.1:9, connect ECONNREFUSED 127.0.0.2:9',
  );
});

test.each([
  ['failure on connection marked as essential: 10.0.0.2:5432', undefined],
  ['could not commit transaction for shard 102008 on at least one active node', undefined],
  ['connection not open', undefined],
  ['shard for the given value does not exist', 'Retry the query.'],
])('the error of a cluster "%s" means that the database is unavailable', (message, hint) => {
  const error = Object.assign(new DatabaseError(message, message.length, 'error'), { code: 'XX000', hint });
  expect(databaseFailure(error)).toBeInstanceOf(DatabaseUnavailable);
});

test('another internal error of PostgreSQL is a bug', () => {
  const error = Object.assign(new DatabaseError('cache lookup failed', 19, 'error'), { code: 'XX000' });
  expect(databaseFailure(error)).toBe(error);
});
