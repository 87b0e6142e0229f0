// Consumes that share a statement.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { purchaseConsumer } from '../../src/store/consumptions.ts';
import type { Database } from '../../src/store/database.ts';
import { query } from '../embedded/scratch.ts';
import { createTestApp, recordTestPurchase, startTestServer, type TestServer, testNow } from '../harness.ts';
import { openDatabase } from './open-database.ts';

let server: TestServer;
let database: Database;

beforeAll(async () => {
  server = await startTestServer();
  database = openDatabase(server.connection, 2);
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await server.stop();
});

test('their events follow each other as the calls came, in each app', async () => {
  const came = ['P-3', 'P-1', 'P-4', 'P-2'];
  const apps = [await createTestApp(server, 'com.consumed.b'), await createTestApp(server, 'com.consumed.a')];
  for (const app of apps) {
    for (const purchaseId of came.toSorted()) await recordTestPurchase(server, app, { purchaseId });
  }
  const consume = purchaseConsumer(database);
  const requests = came.flatMap((purchaseId) =>
    apps.map(({ packageName }) => ({ packageName, purchaseId, now: testNow, madeBy: 'app', requestId: 'r' })),
  );
  const outcomes = await Promise.all(requests.map(consume));
  expect(outcomes).toEqual(requests.map(() => ({ kind: 'consumed' })));
  for (const { packageName } of apps) {
    const events = await query(
      server.connection,
      `select purchase_id as id from event where package_name = '${packageName}' and type = 'purchase.consumed'
        order by event_order`,
    );
    expect(events.map(({ id }) => id)).toEqual(came);
  }
});
