// Concurrent calls and jobs that need rows of the same app never deadlock.

import { loggedRequestsMax } from '@opentill/contract/logged-request.ts';
import { putFaults as putFaultsOfApp } from '@opentill/contract/operator-api/putFaults.ts';
import { reset } from '@opentill/contract/operator-api/reset.ts';
import { pino } from 'pino';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { CleaningJob } from '../../src/jobs/cleaning-job.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';
import { replaceFaults } from '../../src/store/sandbox/faults.ts';
import { RequestLog } from '../../src/store/sandbox/request-log.ts';
import { readSandboxState } from '../../src/store/sandbox/sandbox-state.ts';
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

const loggedCall = {
  calledAt: testNow,
  requestId: 'r',
  appTime: testNow,
  operationId: 'getPurchaseDetails',
  method: 'GET',
  path: '/',
  httpStatus: 200,
  errorCode: null,
  latencyMs: 1,
  answer: '',
  isAnswerCut: false,
  faultPosition: null,
  isJson: true,
  authorization: '',
  secretShape: null,
};

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

describe('deliveries', () => {
  test('deliveries are abandoned during a reset without a deadlock', async () => {
    const { packageName } = app;
    await putWebhook();
    await query(
      server.connection,
      `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, state, due_time,
        schedule_attempts, attempts)
      select $1, n, n::text, 'test', n, 'waiting', n, 0, '[]' from generate_series(1, 4000) as n`,
      [packageName],
    );
    await query(server.connection, 'analyze webhook_delivery');
    // The update moves the row behind all others in the table.
    await query(server.connection, 'update webhook_delivery set due_time = 2 where event_order = 1');
    await using second = await openSecondConnection(server.connection);
    const hold = 'select from webhook_delivery where package_name = $1 and event_order = 2000 for update';
    await second.run(hold, [packageName]);
    const resetting = resetApp();
    await waitedFor(second, resetting);
    const deleting = operate(server, 'DELETE', `/apps/${packageName}/webhook`);
    await waiting(2);
    await second.commit();
    expect((await deleting).status).toBe(204);
    expect((await resetting).status).toBe(204);
  });
});

describe('the request log', () => {
  test('the request log is trimmed during a reset without a deadlock', async () => {
    const { packageName } = app;
    await query(
      server.connection,
      `insert into request_log (package_name, called_at, call_order, request_id, app_time, operation_id, method, path,
        latency_ms, answer, is_answer_cut, is_json, authorization_header)
      select $1, n, n, n::text, n, 'getPurchaseDetails', 'GET', '/', 1, '', false, true, ''
      from generate_series(1, $2::bigint + 300) as n`,
      [packageName, loggedRequestsMax],
    );
    const onDropped = vi.fn();
    await using log = new RequestLog(database, onDropped);
    await using second = await openSecondConnection(server.connection);
    await second.run('select from request_log where package_name = $1 and call_order = 100 for update', [
      packageName,
    ]);
    const resetting = resetApp();
    await waitedFor(second, resetting);
    log.add(Promise.resolve({ ...loggedCall, packageName }));
    const flushing = log.flush();
    await Promise.race([waiting(2), flushing]);
    await second.commit();
    await flushing;
    expect(onDropped).not.toHaveBeenCalled();
    expect((await resetting).status).toBe(204);
  });
});

describe('faults', () => {
  const putFaults = (operation: 'consumePurchase' | 'getVoidedPurchases') =>
    callOperator(server, putFaultsOfApp, { path: app, body: [{ operation, code: 401 }] });

  test('the last of two concurrent putFaults replaces the whole list', async () => {
    const { packageName } = app;
    let putting: ReturnType<typeof putFaults> | undefined;
    await database.transaction({ packageName }, async (transaction) => {
      const fault = { operation: 'getVoidedPurchases' as const, httpStatus: 500 };
      await replaceFaults(transaction, { packageName, putId: 'r', faults: [fault, fault] });
      putting = putFaults('consumePurchase');
      await waiting(1);
    });
    expect((await putting)?.status).toBe(200);
    const { faults } = await readSandboxState(database, packageName);
    expect(faults).toMatchObject([{ operation: 'consumePurchase' }]);
  });
});
