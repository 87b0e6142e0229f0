// Servers that renew nothing: with OPENTILL_JOBS=off, and without a payment gateway.

import { pauseRenewals } from '@opentill/contract/operator-api/pauseRenewals.ts';
import { resumeRenewals } from '@opentill/contract/operator-api/resumeRenewals.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import {
  call,
  createTestApp,
  freshDatabase,
  recordTestPurchase,
  startTestServer,
} from '../../../../test/support/harness.ts';
import { callOperator } from '../../../../test/support/http/checked-call.ts';
import { firstDue, stageEnv, stageStart } from '../../../../test/support/renewals/renewal-stage.ts';
import { startTestGateway } from '../../../../test/support/renewals/test-gateway.ts';
import { countRows, setWrittenAt } from '../../../../test/support/stage.ts';
import { DatabaseProxy } from '../../../../test/support/store/database-proxy.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { MissingGatewayJob } from '../../src/jobs/subscriptions/missing-gateway-job.ts';
import { StoreClock } from '../../src/store/clocks/store-clock.ts';

test('a server with OPENTILL_JOBS=off neither charges nor delivers nor cleans up, until one with jobs starts', async () => {
  await using gateway = await startTestGateway();
  await using database = await freshDatabase();
  const clock = new TestClock(stageStart);
  const env = stageEnv(gateway);
  await using idle = await startTestServer({ database, clock, env: { ...env, OPENTILL_JOBS: 'off' } });
  const app = await createTestApp(idle);
  await recordTestPurchase(idle, app, { productId: 'monthly', purchaseId: 'S-1' });
  await setWrittenAt(idle, app, { writtenAt: 0 });
  await clock.set(firstDue);
  await idle.stop();
  expect(gateway.orders).toEqual([]);
  expect(await countRows(idle, 'event', app)).toBe(1);
  expect(await countRows(idle, 'clock_mark', { packageName: '' })).toBe(0);
  await using working = await startTestServer({ database, clock, env, runsJobs: true });
  await waitFor(() => gateway.orders.length === 1, { what: 'the charge' });
  const isClean = async () => (await countRows(working, 'event', app)) === 1;
  await waitFor(isClean, { what: 'the removal of the first event' });
});

test('the age of the oldest overdue payment is read when it is scraped, at most every 10 seconds, also without jobs, and is absent while the database is away', async () => {
  await using gateway = await startTestGateway();
  await using database = await freshDatabase();
  await using proxy = await DatabaseProxy.start(database.connection);
  const clock = new TestClock(stageStart);
  await clock.drive(database);
  await using idle = await startTestServer({ database: proxy, clock, env: stageEnv(gateway) });
  const read = async () => {
    const { text } = await call(`${idle.operatorUrl}/metrics`);
    return /^opentill_oldest_overdue_renewal_seconds (\d+)$/m.exec(text)?.[1];
  };
  const app = await createTestApp(idle);
  await recordTestPurchase(idle, app, { productId: 'monthly', purchaseId: 'S-1' });
  expect(await read()).toBe('0');
  await clock.set(firstDue + 3_600_000);
  expect(await read()).toBe('3600');
  await clock.advance(9_999);
  expect(await read()).toBe('3600');
  await clock.advance(1);
  await proxy.become('refusing');
  expect(await read()).toBe(undefined);
  await proxy.become('open');
  expect(await waitFor(read, { what: 'the database' })).toBe('3610');
});

test('a production server without a payment gateway logs one line when its first subscription is due, and at a start after that', async () => {
  await using gateway = await startTestGateway();
  const clock = new TestClock(stageStart);
  await using server = await startTestServer({ clock, env: stageEnv(gateway) });
  const app = await createTestApp(server);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  const logLines: string[] = [];
  const alerts = () =>
    logLines.map((line) => JSON.parse(line)).filter(({ code }) => code === 'gatewayMissing');
  const alert = { level: 50, app: app.packageName, dueTime: firstDue };
  await using database = openDatabase(server.connection, 2);
  const log = pino({ base: null }, { write: (line: string) => logLines.push(line) });
  await using job = new MissingGatewayJob({ database, clock: new StoreClock(clock, 'production') }, log);
  await job.runOnce();
  await clock.set(firstDue);
  await callOperator(server, pauseRenewals, { body: {} });
  await job.runOnce();
  expect(alerts()).toEqual([]);
  await callOperator(server, resumeRenewals, { body: {} });
  await job.runOnce();
  await job.runOnce();
  expect(alerts()).toMatchObject([alert]);
  const env = { OPENTILL_ENVIRONMENT: 'production' };
  await using _ = await startTestServer({ database: server, clock, env, runsJobs: true, logLines });
  await waitFor(() => alerts().length === 2, { what: 'the line of the start' });
  expect(alerts()).toMatchObject([alert, alert]);
});
