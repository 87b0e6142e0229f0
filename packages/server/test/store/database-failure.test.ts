// The error for an unreachable database.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { DatabaseUnavailable, databaseFailure } from '../../src/store/connection/database-failure.ts';

test('the error of a host name with several unreachable addresses lists each address', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: 'several',
    port: 9,
    lookup: (_name, _options, done) => done(null, addresses),
  });
  const [error] = await once(socket, 'connect').then(
    () => [],
    (failure: unknown) => [failure],
  );
  const failure = databaseFailure(error);
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
  expect((failure as Error).message).toBe(
    'connect ECONNREFUSED 127.0.0.1:9, connect ECONNREFUSED 127.0.0.2:9',
  );
});
