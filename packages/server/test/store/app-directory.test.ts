// The cache of apps while an app changes.

import { expect, test } from 'vitest';
import { createTestApp, testNow, useForFile, useTestServer } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { openSecondConnection, waitedFor } from '../../../../test/support/store/second-connection.ts';
import { appDirectory } from '../../src/store/apps/app-directory.ts';

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
  await using second = await openSecondConnection(server.connection);
  await second.run('lock table app in access exclusive mode');
  const read = directory.read(appNumber);
  await waitedFor(second, read);
  directory.invalidate(packageName);
  await second.commit();
  expect(await read).toMatchObject({ packageName });
  expect(directory.findCached(appNumber)).toBeUndefined();
});
