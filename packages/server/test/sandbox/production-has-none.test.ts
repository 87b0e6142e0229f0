// Production has no sandbox controls: their paths do not exist, and rows in their tables are ignored.

import { type DeveloperOperation, developerOperations } from '@opentill/contract/developer-api.ts';
import { operatorOperations } from '@opentill/contract/operations.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { afterAll, expect, test } from 'vitest';
import {
  adminKey,
  call,
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  requestToken,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { urlOf } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { query } from '../../../../test/support/query.ts';

const database = await freshDatabase();
const server = await useTestServer({ database, env: { OPENTILL_ENVIRONMENT: 'production' } });
const app = await createTestApp(server);
await recordTestPurchase(server, app, { purchaseId: 'P-1' });
afterAll(async () => {
  await server.stop();
  await database[Symbol.asyncDispose]();
});

const details = () => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' } });

const path = { packageName: app.packageName, productId: 'coins', purchaseId: 'P-1', firstPurchaseId: 'S-1' };
const callOf = (operation: DeveloperOperation, host: string, key: string) =>
  call(host + urlOf(operation, { path }), {
    method: operation.method,
    headers: { authorization: `Bearer ${key}` },
  });

test.each(developerOperations.sandbox)(
  '$path does not exist in production, even with a token',
  async (operation) => {
    const response = await callOf(operation, server.publicUrl, app.token);
    expect([response.status, response.body.error.code]).toEqual([404, 9999]);
  },
);

test.each(operatorOperations.filter((operation) => 'sandboxOnly' in operation))(
  '$path does not exist in production, even with an admin key',
  async (operation) => {
    const response = await callOf(operation, server.operatorUrl, adminKey);
    expect([response.status, response.body.type]).toEqual([404, '/docs/problems#unknown-path']);
    expect(response.body.detail).toBe('Only a sandbox has this operation, and this server is production.');
  },
);

test('the reference of production is on the operator listener alone, without an operation of the sandbox', async () => {
  for (const path of ['/docs', '/docs/json', '/docs/problems'])
    expect((await call(server.publicUrl + path)).status).toBe(404);
  const { body } = await call(`${server.operatorUrl}/docs/json`);
  const shown = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((item) => Object.values(item))
    .map(({ operationId }) => operationId);
  expect(shown).toContain('getPurchaseDetails');
  for (const operation of operatorOperations)
    expect(shown.includes(operation.operationId)).toBe(!('sandboxOnly' in operation));
  const ofDevelopers = developerOperations.production.map(({ operationId }) => `developer.${operationId}`);
  expect(new Set(shown.filter((name) => name.startsWith('developer.')))).toEqual(new Set(ofDevelopers));
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
  // A server writes its pending log entries before it ends.
  await server.stop();
  expect(await query(database.connection, 'select * from request_log')).toEqual([]);
});
