// Servers that start concurrently on an empty shared database.

import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  callPurchaseApi,
  createTestApp,
  databaseEnv,
  emptyDatabase,
  recordTestPurchase,
  requestToken,
  untilAvailable,
  whenAvailable,
} from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { type OpentillProcess, startOpentill } from './opentill-process.ts';

test('five servers that start concurrently on an empty database all start and serve the same data', async () => {
  await using stack = new AsyncDisposableStack();
  const { connection } = stack.use(await emptyDatabase());
  const env = databaseEnv(connection);
  const servers = Array.from({ length: 5 }, () => stack.use(startOpentill({ env })));
  const addresses = await Promise.all(servers.map((server) => server.ready()));
  for (const { operatorUrl } of addresses) {
    const isReady = async () => (await fetch(`${operatorUrl}/health/ready`)).status === 200;
    await waitFor(isReady, { deadlineMs: 10_000, what: `${operatorUrl} to be ready` });
  }

  const [installations] = await query(connection, 'select count(*)::int as count from installation');
  expect(installations).toEqual({ count: 1 });
  const [first] = addresses;
  if (first === undefined) throw new Error('There are five.');
  const app = await createTestApp(first);
  await untilAvailable(() => recordTestPurchase(first, app, { purchaseId: 'P-1' }));
  const tokens = await Promise.all(addresses.map((server) => whenAvailable(() => requestToken(server, app))));
  expect(new Set(tokens.map(({ body }) => body.access_token))).toEqual(new Set([app.token]));
  const path = `/details/P-1/${app.packageName}`;
  const reads = await Promise.all(
    addresses.map((server) => whenAvailable(() => callPurchaseApi(server, { token: app.token, path }))),
  );
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(reads.map(({ text }) => text)).size).toBe(1);

  expect(await Promise.all(servers.map(stopped))).toEqual([0, 0, 0, 0, 0]);
  expect(servers.map(({ output }) => output.stderr)).toEqual(['', '', '', '', '']);
}, 120_000);

function stopped(server: OpentillProcess): Promise<number | null> {
  server.signal('SIGTERM');
  return server.ended();
}
