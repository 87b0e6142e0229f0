// The jobs of a server while a node of the cluster is away: they wait, and log it.

import { expect, test } from 'vitest';
import {
  freshDatabase,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useForFile,
} from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { startTestReceiver } from '../../../../test/support/webhooks/test-receiver.ts';
import { hookApp, receivedOf } from '../../../../test/support/webhooks/webhook-stage.ts';
import { createAppOn, killNode, portOfRows, workerPorts } from './nodes.ts';

const started = Date.UTC(2026, 0, 31, 9);
const dues = [Date.UTC(2026, 1, 28, 9), Date.UTC(2026, 2, 31, 9)] as const;

const clock = new TestClock(started);
const receiver = await useForFile(startTestReceiver());
const database = await useForFile(freshDatabase());
const { connection } = database;
const logLines: string[] = [];
const server = await useForFile(startTestServer({ database, clock, runsJobs: true, logLines }));

const storePort = await portOfRows(connection, '');
const otherPort = workerPorts.find((port) => port !== storePort) ?? 0;
const onStoreNode = await subscribedApp('first', storePort);
const onOtherNode = await subscribedApp('second', otherPort);

/** An app with a subscription and a webhook. */
async function subscribedApp(name: string, port: number): Promise<TestApp> {
  const app = await createAppOn(server, { connection, port, name });
  await hookApp(server, app, receiver.url);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  return app;
}

/** Without repeated deliveries, whose outcome could not be written. */
function renewalsOf(app: TestApp): number {
  const renewals = receivedOf({ receiver }, app).filter(({ body }) => body.type === 'subscription.renewed');
  return new Set(renewals.map(({ id }) => id)).size;
}

function untilRenewed(app: TestApp, times: number): Promise<unknown> {
  return waitFor(() => renewalsOf(app) >= times, {
    what: `webhook ${times} about a renewal of ${app.packageName}`,
  });
}

const waitingJobs = ['renewals could not be written', 'webhooks could not be delivered'];

test.each([
  ['a node', otherPort, 1],
  ['the node with the rows of no app', storePort, 2],
])(
  'while %s is away nothing is renewed or delivered and the log says so, and all follows when it is back',
  async (_node, port, times) => {
    await using node = await killNode(port);
    logLines.length = 0;
    await clock.set(dues[times - 1] ?? Number.NaN);
    await waitFor(() => waitingJobs.every((message) => logLines.join('').includes(message)), {
      what: 'jobs that log why they wait',
    });
    expect([renewalsOf(onStoreNode), renewalsOf(onOtherNode)]).toEqual([times - 1, times - 1]);
    await node.start();
    await clock.set(clock.now());
    for (const app of [onStoreNode, onOtherNode]) await untilRenewed(app, times);
  },
);

test('no period is missing or duplicated after both nodes were away', async () => {
  expect([renewalsOf(onStoreNode), renewalsOf(onOtherNode)]).toEqual([2, 2]);
  const periods = await query(
    connection,
    `select count(*)::int as count, count(distinct period_index)::int as periods
      from purchase where first_purchase_id is not null group by package_name`,
  );
  expect(periods).toEqual([
    { count: 3, periods: 3 },
    { count: 3, periods: 3 },
  ]);
});
