// Reads of any size: those of one app do not use all connections.

import Type from 'typebox';
import { expect, test } from 'vitest';
import { statement } from '../../src/store/connection/statement.ts';
import { useForFile } from '../harness.ts';
import { freshDatabase } from '../test-databases.ts';
import { openDatabase } from './open-database.ts';

const fresh = await useForFile(freshDatabase());

const slowRead = statement({
  name: 'slow_read',
  text: 'select $1 as app from pg_sleep(0.1)',
  row: Type.Object({ app: Type.String() }),
});

test('a read of one app does not wait for the reads of another, of which one runs at a time', async () => {
  await using database = openDatabase(fresh.connection, 2);
  const read: string[] = [];
  const readOf = async (app: string) => {
    const rows = await database.scopedTo(app).rows(slowRead, [app]);
    read.push(...rows.map((row) => row.app));
  };
  const noisy = Array.from({ length: 6 }, () => readOf('com.example.noisy'));
  await Promise.all([...noisy, readOf('com.example.quiet')]);
  expect(read.slice(0, 3)).toContain('com.example.quiet');
  expect(read).toHaveLength(7);
});
