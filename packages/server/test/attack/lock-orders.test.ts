// Calls and jobs that need rows of the same app at the same moment wait for each other in turn, never in a circle.

import { reset } from '@opentill/contract/operator-api/reset.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  createTestApp,
  operate,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  type TestServer,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { openSecondConnection, waitedFor } from './second-connection.ts';

let server: TestServer;
let app: TestApp;
let apps = 0;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  apps += 1;
  app = await createTestApp(server, `com.example.app${apps}`);
});

const resetApp = () => callOperator(server, reset, { path: app });

const putWebhook = () =>
  operate(server, 'PUT', `/apps/${app.packageName}/webhook`, { body: { url: 'https://example.com/hooks' } });

describe('a reset', () => {
  test('leaves a webhook that was put meanwhile to who changes it, and goes on after that', async () => {
    const { packageName } = app;
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await using holding = await openSecondConnection(server.connection);
    await holding.run('select from purchase where package_name = $1 for update', [packageName]);
    const resetting = resetApp();
    await waitedFor(holding, resetting);
    expect((await putWebhook()).status).toBe(201);
    await recordTestPurchase(server, app, { purchaseId: 'P-2' });
    await using changing = await openSecondConnection(server.connection);
    await changing.run('select from webhook where package_name = $1 for update', [packageName]);
    await holding.commit();
    await waitedFor(changing, resetting);
    await changing.run('update app_counter set change_order = change_order + 1 where package_name = $1', [
      packageName,
    ]);
    await changing.commit();
    expect((await resetting).status).toBe(204);
    const left = 'select count(*)::int as count from purchase where package_name = $1';
    expect(await query(server.connection, left, [packageName])).toEqual([{ count: 0 }]);
  });
});
