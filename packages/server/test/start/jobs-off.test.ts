// OPENTILL_JOBS=off: a server that answers requests and does nothing by itself.

import { expect, test } from 'vitest';
import { call, createTestApp, freshDatabase, recordTestPurchase, startTestServer } from '../harness.ts';
import { firstDue, stageEnv, stageStart } from '../renewals/renewal-stage.ts';
import { startTestGateway } from '../renewals/test-gateway.ts';
import { countRows, setWrittenAt } from '../stage.ts';
import { TestClock } from '../test-clock.ts';
import { waitFor } from '../wait-for.ts';

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
  const { text } = await call(`${idle.operatorUrl}/metrics`);
  expect(text).toContain('opentill_oldest_overdue_renewal_seconds 0');
  await idle.stop();
  expect(gateway.orders).toEqual([]);
  expect(await countRows(idle, 'event', app)).toBe(1);
  expect(await countRows(idle, 'clock_mark', { packageName: '' })).toBe(0);
  await using working = await startTestServer({ database, clock, env, runsJobs: true });
  await waitFor(() => gateway.orders.length === 1, { what: 'the charge' });
  const isClean = async () => (await countRows(working, 'event', app)) === 1;
  await waitFor(isClean, { what: 'the removal of the first event' });
});
