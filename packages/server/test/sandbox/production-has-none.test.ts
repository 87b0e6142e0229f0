// Production has no sandbox controls: their paths do not exist, and rows in their tables are ignored.

import { operatorOperations } from '@opentill/contract/operations.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { sandboxOperations } from '@opentill/contract/sandbox-api.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  adminKey,
  call,
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  requestToken,
  testNow,
  useTestServer,
} from '../harness.ts';
import { urlOf } from '../operator-api/checked-call.ts';
import { callPurchase } from '../purchase-api/purchase-call.ts';

const database = await freshDatabase();
const server = await useTestServer({ database, env: { OPENTILL_ENVIRONMENT: 'production' } });
const app = await createTestApp(server);
await recordTestPurchase(server, app, { purchaseId: 'P-1' });
afterAll(async () => {
  await server.stop();
  await database[Symbol.asyncDispose]();
});

const details = () => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' } });

describe('sandbox paths in production', () => {
  const path = {
    packageName: 'com.example.game',
    productId: 'coins',
    purchaseId: 'P-1',
    firstPurchaseId: 'S-1',
  };

  test.each(sandboxOperations.map((operation) => [operation.path, operation] as const))(
    '%s does not exist in production, even with a token',
    async (_path, operation) => {
      const answer = await call(server.publicUrl + urlOf(operation, { path }), {
        method: operation.method,
        headers: { authorization: `Bearer ${app.token}` },
      });
      expect([answer.status, answer.body.error.code]).toEqual([404, 9999]);
    },
  );

  const sandboxOnly = operatorOperations.filter((operation) => 'sandboxOnly' in operation);
  test.each(sandboxOnly.map((operation) => [operation.path, operation] as const))(
    '%s does not exist in production, even with an admin key',
    async (_path, operation) => {
      const answer = await call(server.operatorUrl + urlOf(operation, { path }), {
        method: operation.method,
        headers: { authorization: `Bearer ${adminKey}` },
      });
      expect([answer.status, answer.body.type]).toEqual([404, '/docs/problems#unknown-path']);
    },
  );
});

test('the reference of production is on the operator listener alone, without an operation of the sandbox', async () => {
  for (const path of ['/docs', '/docs/json', '/docs/problems']) {
    expect((await call(server.publicUrl + path)).status).toBe(404);
  }
  const { paths } = (await call(`${server.operatorUrl}/docs/json`)).body;
  const operations = Object.entries(paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const callOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  expect(operations).toContain(callOf(getPurchaseDetails));
  for (const operation of operatorOperations) {
    expect(operations.includes(callOf(operation))).toBe(!('sandboxOnly' in operation));
  }
  expect(operations.filter((operation) => operation.includes('/sandbox/'))).toEqual([]);
});

test('a stored fault is not injected in production', async () => {
  for (const operation of ['getPurchaseDetails', 'getAccessToken']) {
    await query(
      server.connection,
      'insert into fault (package_name, position, put_id, operation, code) values ($1, $2, $3, $4, 9999)',
      [app.packageName, operation.length, 'by hand', operation],
    );
  }
  expect((await details()).status).toBe(200);
  expect((await requestToken(server, app)).status).toBe(200);
  const counted = await query(server.connection, 'select times_applied from fault');
  expect(counted).toEqual([{ times_applied: '0' }, { times_applied: '0' }]);
});

test('stored token cuts have no effect in production', async () => {
  const { packageName } = app;
  await query(
    server.connection,
    'update access_token set cut_issued_at_seconds = $2, cut_ends_at = 0 where package_name = $1',
    [packageName, Math.ceil(testNow / 1_000)],
  );
  expect((await details()).status).toBe(200);
  expect((await requestToken(server, app)).body.access_token).toBe(app.token);
});

test('production logs no calls', async () => {
  await details();
  expect((await callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'none' } })).status).toBe(
    404,
  );
  // A server writes its pending log entries before it ends.
  await server.stop();
  expect(await query(database.connection, 'select * from request_log')).toEqual([]);
});
