// Concurrent calls and jobs that need rows of the same app never deadlock.

import { reset } from '@opentill/contract/operator-api/reset.ts';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { CleaningJob } from '../../src/jobs/cleaning-job.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { query } from '../embedded/scratch.ts';
import {
  newTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useForFile,
  useTestServer,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { openDatabase } from '../store/open-database.ts';
import { TestClock } from '../test-clock.ts';
import { openSecondConnection, waitedFor, waitingStatements } from './second-connection.ts';

let app: TestApp;

const server = await useTestServer();
/** The job of another server. */
const database = await useForFile(openDatabase(server.connection, 6));

beforeEach(async () => {
  app = await newTestApp(server);
});

const resetApp = () => callOperator(server, reset, { path: app });

const putWebhook = () =>
  operate(server, 'PUT', `/apps/${app.packageName}/webhook`, { body: { url: 'https://example.com/hooks' } });

const waiting = (count: number) => waitingStatements(server.connection, count);

describe('resets', () => {
  test('a reset waits for the change of a webhook created in the meantime, and then succeeds', async () => {
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
    await changing.run('update app_counter set event_order = event_order + 1 where package_name = $1', [
      packageName,
    ]);
    await changing.commit();
    expect((await resetting).status).toBe(204);
    const left = 'select count(*)::int as count from purchase where package_name = $1';
    expect(await query(server.connection, left, [packageName])).toEqual([{ count: 0 }]);
  });

  test('a reset waits for the cleaning job to remove aged events, and then succeeds', async () => {
    const { packageName } = app;
    await putWebhook();
    for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, app, { purchaseId });
    await query(server.connection, 'update event set written_at = 0 where package_name = $1', [packageName]);
    const clock = new TestClock(testNow);
    const log = pino({ level: 'silent' });
    const storeClock = new StoreClock(clock, 'sandbox');
    await using job = new CleaningJob({ database, clock: storeClock, log, retentionDays: 30 });
    await using second = await openSecondConnection(server.connection);
    await second.run('select from webhook where package_name = $1 for update', [packageName]);
    const cleaning = job.runOnce();
    await waitedFor(second, cleaning);
    const resetting = resetApp();
    await waiting(2);
    await second.commit();
    await cleaning;
    expect((await resetting).status).toBe(204);
  });
});
