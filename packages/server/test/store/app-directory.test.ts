// The cache of apps while an app changes.

import { expect, test, vi } from 'vitest';
import { appDirectory } from '../../src/store/apps/app-directory.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, testNow, useForFile, useTestServer } from '../harness.ts';
import { openDatabase } from './open-database.ts';

const packageName = 'com.example.cached';

const server = await useTestServer();
const database = await useForFile(openDatabase(server.connection, 2));
await createTestApp(server, packageName);
const [app] = await query(server.connection, 'select app_number from app');
const appNumber = Number(app?.['app_number']);

test('a cached app is returned until it is invalidated', async () => {
  const directory = appDirectory(database, { now: () => testNow });
  await directory.read(appNumber);
  expect(directory.findCached(appNumber)).toMatchObject({ packageName });
  directory.invalidate(packageName);
  expect(directory.findCached(appNumber)).toBeUndefined();
});

test('an app that is invalidated during a read is not cached with its old state', async () => {
  const directory = appDirectory(database, { now: () => testNow });
  await directory.read(appNumber);
  const rows = database.rows.bind(database);
  const answered = Promise.withResolvers<void>();
  const invalidations = Promise.withResolvers<void>();
  vi.spyOn(database, 'rows').mockImplementationOnce(async (statement, values) => {
    const states = await rows(statement, values);
    answered.resolve();
    await invalidations.promise;
    return states;
  });
  const read = directory.read(appNumber);
  await answered.promise;
  directory.invalidate(packageName);
  invalidations.resolve();
  expect(await read).toMatchObject({ packageName });
  expect(directory.findCached(appNumber)).toBeUndefined();
});
