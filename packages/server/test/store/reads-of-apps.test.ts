// Reads of any size: those of one app do not use all connections.

import Type from 'typebox';
import { expect, test } from 'vitest';
import { statement } from '../../src/store/connection/statement.ts';
import { openSecondConnection, waitingStatements } from '../attack/second-connection.ts';
import { useForFile } from '../harness.ts';
import { freshDatabase } from '../test-databases.ts';
import { openDatabase } from './open-database.ts';

const fresh = await useForFile(freshDatabase());

/** A read that takes as long as another connection holds the lock of its app. */
const lockingRead = statement({
  name: 'locking_read',
  text: 'select $1 as app from pg_advisory_xact_lock_shared(hashtext($1))',
  row: Type.Object({ app: Type.String() }),
});

test('a read of one app does not wait for the reads of another, of which one runs at a time', async () => {
  await using database = openDatabase(fresh.connection, 2);
  const readOf = (app: string) => database.scopedTo(app).rows(lockingRead, [app]);
  await using second = await openSecondConnection(fresh.connection);
  await second.run('select pg_advisory_xact_lock(hashtext($1))', ['com.example.noisy']);
  const noisy = Promise.all(Array.from({ length: 6 }, () => readOf('com.example.noisy')));
  await waitingStatements(fresh.connection, 1);
  // Two reads of the noisy app would use both connections.
  expect(await readOf('com.example.quiet')).toEqual([{ app: 'com.example.quiet' }]);
  await waitingStatements(fresh.connection, 1);
  await second.commit();
  expect(await noisy).toHaveLength(6);
});
