// Servers that are connected to different nodes of one cluster.

import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  callPurchaseApi,
  emptyDatabase,
  freshDatabase,
  newTestApp,
  operate,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestApp,
  type TestServer,
  testNow,
  useForFile,
} from '../harness.ts';
import { TestClock } from '../test-clock.ts';
import { atNode, nodePorts } from './nodes.ts';

/** How long a server may use what it remembers of an app (docs/architecture.md). */
const rememberedMs = 5_000;

const consumesOfEach = 50;

const clock = new TestClock(testNow);
const database = await useForFile(freshDatabase());
const servers: TestServer[] = [];
for (const port of nodePorts) {
  const connection = atNode(database.connection, port);
  servers.push(await useForFile(startTestServer({ database: { connection }, clock })));
}
const [onCoordinator, ...others] = servers as [TestServer, ...TestServer[]];

async function readStatuses(app: TestApp, token = app.token): Promise<number[]> {
  const path = `/details/none/${app.packageName}`;
  const answers = await Promise.all(servers.map((server) => callPurchaseApi(server, { token, path })));
  return answers.map(({ status }) => status);
}

const everywhere = (status: number) => servers.map(() => status);

test('a token that one server issues is valid on the servers of all nodes, and each issues the same one', async () => {
  const app = await newTestApp(onCoordinator);
  expect(await readStatuses(app)).toEqual(everywhere(404));
  const issued = await Promise.all(servers.map((server) => requestToken(server, app)));
  expect(issued.map(({ body }) => body.access_token)).toEqual(servers.map(() => app.token));
});

test('tokens that a server of one node expels are invalid on those of all nodes 5 seconds later', async () => {
  const app = await newTestApp(onCoordinator);
  expect(await readStatuses(app)).toEqual(everywhere(404));
  for (const server of others) {
    const { token } = { token: (await requestToken(server, app)).body.access_token };
    expect(await readStatuses(app, token)).toEqual(everywhere(404));
    expect((await operate(server, 'POST', `/apps/${app.packageName}/expel-tokens`)).status).toBe(204);
    await clock.advance(rememberedMs);
    expect(await readStatuses(app, token)).toEqual(everywhere(401));
  }
});

test('an app that a server of one node disables is rejected on all nodes 5 seconds later, and can be enabled on another', async () => {
  const app = await newTestApp(onCoordinator);
  expect(await readStatuses(app)).toEqual(everywhere(404));
  const set = async (server: TestServer | undefined, disabled: boolean) =>
    (await operate(server ?? onCoordinator, 'PATCH', `/apps/${app.packageName}`, { body: { disabled } }))
      .status;
  expect(await set(others[0], true)).toBe(200);
  await clock.advance(rememberedMs);
  expect(await readStatuses(app)).toEqual(everywhere(401));
  const refused = await Promise.all(servers.map((server) => requestToken(server, app)));
  expect(refused.map(({ status }) => status)).toEqual(everywhere(400));
  expect(await set(others.at(-1), false)).toBe(200);
  const token = (await requestToken(onCoordinator, app)).body.access_token;
  await clock.advance(rememberedMs);
  expect(await readStatuses(app, token)).toEqual(everywhere(404));
});

test('a secret that a server of one node rotates is valid on all nodes at once, and the previous one as long as it was kept', async () => {
  const app = await newTestApp(onCoordinator);
  const path = `/apps/${app.packageName}/client-secret`;
  const kept = await operate(others[0] ?? onCoordinator, 'POST', path, {
    body: { keepPreviousForSeconds: 60 },
  });
  const next = { ...app, clientSecret: kept.body.clientSecret };
  for (const server of servers) {
    expect((await requestToken(server, next)).status).toBe(200);
    expect((await requestToken(server, app)).status).toBe(200);
  }
  await clock.advance(60_001);
  for (const server of servers) {
    expect((await requestToken(server, next)).status).toBe(200);
    expect((await requestToken(server, app)).status).toBe(400);
  }
});

test(`of ${consumesOfEach} consumes of one purchase on the server of each node, exactly one succeeds`, async () => {
  const app = await newTestApp(onCoordinator);
  const { purchaseId } = await recordTestPurchase(onCoordinator, app);
  const path = `/consume/${purchaseId}/${app.packageName}`;
  const consume = (server: TestServer) => callPurchaseApi(server, { token: app.token, path, method: 'POST' });
  const answers = await Promise.all(
    Array.from({ length: consumesOfEach }, () => servers.map(consume)).flat(),
  );
  const statuses = answers.map(({ status }) => status).filter((status) => status !== 503);
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
