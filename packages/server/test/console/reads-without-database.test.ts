// The reads of the console while the database cannot be reached.

import { expect, test } from 'vitest';
import { DatabaseProxy } from '../attack/database-proxy.ts';
import { expectUnavailable } from '../attack/every-call.ts';
import {
  createTestApp,
  freshDatabase,
  operate,
  recordTestPurchase,
  useForFile,
  useTestServer,
} from '../harness.ts';

const database = await useForFile(freshDatabase());
const proxy = await useForFile(DatabaseProxy.start(database.connection));
const server = await useTestServer({ database: { ...database, connection: proxy.connection } });
const { packageName } = await createTestApp(server);
await recordTestPurchase(server, { packageName }, { purchaseId: 'P-1' });

test.each([
  '/search?q=P-1',
  '/purchases',
  `/apps/${packageName}/purchases/P-1`,
  `/apps/${packageName}/purchases/P-1/developer-view`,
  `/apps/${packageName}/webhook/deliveries?purchaseId=P-1`,
])('GET %s gets 503 while the database cannot be reached, and succeeds afterwards', async (path) => {
  await proxy.become('refusing');
  expectUnavailable(path, await operate(server, 'GET', path));
  await proxy.become('open');
  await expect.poll(async () => (await operate(server, 'GET', path)).status).toBe(200);
});
