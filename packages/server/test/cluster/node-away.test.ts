// A node of the cluster that is killed while servers on the others go on.

import { afterEach, describe, expect, test } from 'vitest';
import {
  call,
  freshDatabase,
  type HttpResponse,
  operate,
  recordTestPurchase,
  startTestServer,
  type TestServer,
  useForFile,
} from '../../../../test/support/harness.ts';
import type { ServerAddress } from '../../../../test/support/start/opentill-process.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { everyCall, expectResponses, expectUnavailable, makeStage } from '../apps/every-call.ts';
import { eventPage, tryListEvents, untilWaiting } from '../events/feed-calls.ts';
import { auditLedger } from '../purchases/ledger-audit.ts';
import { atNode, coordinatorPort, createAppOn, killNode, portOfRows, workerPorts } from './nodes.ts';

/** Calls of each kind at once: together more than there are connections. */
const callsOfEachKind = 4;

/** The time limits of production, which end calls to a node that does not respond. */
const testing = { patience: 1 };

const database = await useForFile(freshDatabase());
const { connection } = database;

// The rows that belong to no app are on the living node.
const livingPort = await portOfRows(connection, '');
const dyingPort = workerPorts.find((port) => port !== livingPort) ?? 0;
const onCoordinator = await useForFile(startTestServer({ database, testing }));
const onLiving = await useForFile(
  startTestServer({ database: { connection: atNode(connection, livingPort) }, testing }),
);
const kept = await createAppOn(onCoordinator, { connection, port: livingPort, name: 'kept' });
const lost = await createAppOn(onCoordinator, { connection, port: dyingPort, name: 'lost' });

function expectServed(name: string, { status, text }: HttpResponse): void {
  expect(status, `${name}: ${text}`).toBeLessThan(500);
}

let names = 0;

/** A change is written only if the app does not have the name already. */
function newName(): string {
  names += 1;
  return `Kept ${names}`;
}

/** Changes of apps themselves, whose rows are on all nodes. */
const appChanges = (server: ServerAddress) => ({
  createApp: () => operate(server, 'POST', '/apps', { body: { packageName: 'com.example.created' } }),
  updateApp: () => operate(server, 'PATCH', `/apps/${kept.packageName}`, { body: { name: newName() } }),
  rotateClientSecret: () => operate(server, 'POST', `/apps/${kept.packageName}/client-secret`, { body: {} }),
});

/** Operations over all apps. */
const storeWideOperations = (server: ServerAddress) => ({
  listApps: () => operate(server, 'GET', '/apps'),
  listPurchases: () => operate(server, 'GET', '/purchases?buyerId=nobody'),
  search: () => operate(server, 'GET', '/search?q=nothing'),
  listWebhooks: () => operate(server, 'GET', '/webhooks'),
  listSubscriptions: () => operate(server, 'GET', '/subscriptions'),
  listActions: () => operate(server, 'GET', '/actions'),
  getRenewals: () => operate(server, 'GET', '/renewals'),
  getStatistics: () => operate(server, 'GET', '/statistics?from=2026-03-01&to=2026-03-31'),
});

/** The store-wide pause. */
const pauses = (server: ServerAddress) => ({
  pauseRenewals: () => operate(server, 'POST', '/renewals/pause', { body: {} }),
  resumeRenewals: () => operate(server, 'POST', '/renewals/resume', { body: {} }),
});

async function expectEach(
  calls: Readonly<Record<string, () => Promise<HttpResponse>>>,
  expectOf: (name: string, response: HttpResponse) => void,
): Promise<void> {
  for (const [name, run] of Object.entries(calls)) {
    expectOf(name, await run());
  }
}

/** Both apps are served, and what needs all nodes succeeds. */
async function expectRecovered(server: TestServer): Promise<void> {
  for (const app of [kept, lost]) {
    const { getPurchaseDetails } = everyCall(await makeStage(server, app));
    await waitFor(async () => (await getPurchaseDetails?.())?.status === 200, {
      what: 'a server that has recovered',
    });
  }
  const { updateApp } = appChanges(server);
  await waitFor(async () => (await updateApp()).status === 200, {
    what: 'a change of an app',
  });
  await expectEach(storeWideOperations(server), (name, { status, text }) =>
    expect(status, `${name}: ${text}`).toBe(200),
  );
}

afterEach(async () => {
  expect(await auditLedger(connection)).toEqual({});
});

describe.each([
  ['the coordinator', onCoordinator],
  ['another node', onLiving],
])('a server on %s', (_place, server) => {
  test('serves the apps of the other nodes while one is away, responds to calls of its apps with 503, and recovers', async () => {
    const [served, unavailable] = [await makeStage(server, kept), await makeStage(server, lost)];
    await using node = await killNode(dyingPort);
    await Promise.all([
      expectResponses(everyCall(served), callsOfEachKind, expectServed),
      expectResponses(everyCall(unavailable), callsOfEachKind, expectUnavailable),
    ]);
    expect((await call(`${server.operatorUrl}/health/ready`)).status).toBe(200);
    await node.start();
    await expectRecovered(server);
  });

  test('rejects changes of apps and operations over all apps with 503 while a node is away', async () => {
    await using node = await killNode(dyingPort);
    await expectEach(appChanges(server), expectUnavailable);
    await expectEach(storeWideOperations(server), expectUnavailable);
    const product = { type: 'oneTime', price: 1, currency: 'EUR' };
    const put = await operate(server, 'PUT', `/apps/${kept.packageName}/products/gems`, { body: product });
    expect(put.status, put.text).toBeLessThan(300);
    await node.start();
    await expectRecovered(server);
  });

  test('a call that waits for events of an app on another node returns them at its end while a node is away', async () => {
    const ofKept = eventPage(server, kept, { after: 'now', waitSeconds: 10 });
    const ofLost = tryListEvents(server, lost, { after: 'now', waitSeconds: 10 });
    await untilWaiting(server, 2);
    await using node = await killNode(dyingPort);
    await recordTestPurchase(server, kept);
    expect((await ofKept).events).toHaveLength(1);
    expectUnavailable('listEvents', await ofLost);
    await node.start();
    await expectRecovered(server);
  });

  test('starts while a node is away, and serves the apps of the others', async () => {
    await using _node = await killNode(dyingPort);
    await using late = await startTestServer({ database: { connection: server.connection }, testing });
    await expectResponses(everyCall(await makeStage(late, kept)), 1, expectServed);
  });
});

test('while the coordinator is away its servers respond with 503, those of other nodes go on except for changes of apps, and all recover', async () => {
  const [away, served] = [await makeStage(onCoordinator, kept), await makeStage(onLiving, kept)];
  const ofOtherNode = await makeStage(onLiving, lost);
  await using node = await killNode(coordinatorPort);
  await expectResponses(everyCall(away), callsOfEachKind, expectUnavailable);
  expect((await call(`${onCoordinator.operatorUrl}/health/ready`)).status).toBe(503);
  for (const stage of [served, ofOtherNode]) {
    await expectResponses(everyCall(stage), callsOfEachKind, expectServed);
  }
  expect((await call(`${onLiving.operatorUrl}/health/ready`)).status).toBe(200);
  await expectEach(storeWideOperations(onLiving), expectServed);
  await expectEach(pauses(onLiving), expectServed);
  await expectEach(appChanges(onLiving), expectUnavailable);
  await node.start();
  for (const server of [onCoordinator, onLiving]) await expectRecovered(server);
});
