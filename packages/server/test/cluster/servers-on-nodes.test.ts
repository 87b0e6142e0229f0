// Servers that are connected to different nodes of one cluster.

import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  emptyDatabase,
  freshDatabase,
  newTestApp,
  recordTestPurchase,
  startTestServer,
  type TestServer,
  testNow,
  useForFile,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { atNode, nodePorts } from './nodes.ts';

const consumesOfEach = 50;

const clock = new TestClock(testNow);
const database = await useForFile(freshDatabase());
const servers: TestServer[] = [];
for (const port of nodePorts) {
  const connection = atNode(database.connection, port);
  servers.push(await useForFile(startTestServer({ database: { connection }, clock })));
}
const [onCoordinator] = servers as [TestServer];

test(`of ${consumesOfEach} consumes of one purchase on the server of each node, exactly one succeeds`, async () => {
  const app = await newTestApp(onCoordinator);
  const { purchaseId } = await recordTestPurchase(onCoordinator, app);
  const path = `/consume/${purchaseId}/${app.packageName}`;
  const consume = (server: TestServer) => callPurchaseApi(server, { token: app.token, path, method: 'POST' });
  const responses = await Promise.all(
    Array.from({ length: consumesOfEach }, () => servers.map(consume)).flat(),
  );
  const statuses = responses.map(({ status }) => status).filter((status) => status !== 503);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  const [events] = await query(
    database.connection,
    `select count(*)::int as count from event where package_name = $1 and type = 'purchase.consumed'`,
    [app.packageName],
  );
  expect(events).toEqual({ count: 1 });
});

test('a server of another node refuses to start on a schema that it would have to migrate, and changes nothing', async () => {
  await using empty = await emptyDatabase();
  for (const port of nodePorts.slice(1)) {
    const connection = atNode(empty.connection, port);
    await expect(startTestServer({ database: { connection } })).rejects.toThrow(
      'The schema of this database is behind this server: run opentill database migrate on the coordinator of the cluster.',
    );
  }
  for (const port of nodePorts) {
    const [tables] = await query(
      atNode(empty.connection, port),
      `select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    expect(tables).toEqual({ count: 0 });
  }
});

test('a production server without a payment gateway starts on a cluster and serves its store', async () => {
  await using server = await startTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });
  const app = await newTestApp(server);
  const purchase = { purchaseId: 'P-1' };
  expect(await recordTestPurchase(server, app, purchase)).toMatchObject(purchase);
});
