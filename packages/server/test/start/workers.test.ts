// A server with OPENTILL_WORKERS=2 on one database: what clients, operators and monitoring see of its processes.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { AcknowledgedLoad } from '../attack/acknowledged-load.ts';
import { cookieOf, signIn } from '../console/session-calls.ts';
import {
  adminKey,
  createTestApp,
  databaseEnv,
  freshDatabase,
  operate,
  recordTestPurchase,
  useForFile,
} from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { beginPost } from './begun-call.ts';
import { callBoth, callNext, commandLineOf, startWorkers, workerOf, workersOf } from './worker-server.ts';

const connectionsMax = 60;

/** Under load, with this many acknowledged calls before and after each. */
const kills = 3;
const callsBeforeKill = 150;

const database = await useForFile(freshDatabase());
const settings = { ...databaseEnv(database.connection), OPENTILL_MAX_CONNECTIONS: String(connectionsMax) };
const server = await useForFile(startWorkers({ env: settings }));
const address = await server.ready();
const { publicUrl, operatorUrl } = address;
await callBoth(`${publicUrl}/v2/none`);
const app = await createTestApp(address);
const headers = { authorization: `Bearer ${app.token}` };

const purchaseUrl = (call: string, purchaseId: string) =>
  `${publicUrl}/v2/purchase/${call}/${purchaseId}/${app.packageName}`;
const statusesOf = (answers: readonly { readonly status: number }[]) =>
  new Set(answers.map(({ status }) => status));

/** Only connects: a connection that is on its way to a worker when the listener closes gets no response. */
async function isClosed(): Promise<boolean> {
  const { hostname, port } = new URL(publicUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  return await once(socket, 'connect')
    .then(
      () => false,
      () => true,
    )
    .finally(() => socket.destroy());
}

/** The value of the metric whose line starts with these words. */
async function metric(words: string): Promise<number> {
  const { text } = await callNext(`${operatorUrl}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`${words} `));
  return Number(line?.split(' ').at(-1));
}

/** How many successful calls of consumePurchase the workers have logged so far. */
function loggedConsumptions(): number {
  return server.output.stdout
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ operationId, outcome }) => operationId === 'consumePurchase' && outcome === 'success').length;
}

const voidedLists = 'opentill_calls_total{operation="getVoidedPurchases",outcome="success"}';

test('two workers answer on each port, and the welcome is printed once', async () => {
  expect(workersOf(server)).toHaveLength(2);
  expect(statusesOf(await callBoth(`${operatorUrl}/health/ready`))).toEqual(new Set([200]));
  expect(server.output.stdout.match(/OpenTill, sandbox/g)).toHaveLength(1);
});

test('a purchase that one worker recorded is read by both', async () => {
  await recordTestPurchase(address, app, { purchaseId: 'P-1' });
  const reads = await callBoth(purchaseUrl('details', 'P-1'), { headers });
  expect(statusesOf(reads)).toEqual(new Set([200]));
});

test('a session that one worker opened with the code of a link works on both, and the code only once', async () => {
  const created = await operate(address, 'POST', '/console-links', { body: { role: 'support' } });
  const [, code = ''] = created.body.path.split('#');
  const signedIn = await signIn(address, { code });
  expect(signedIn.status, signedIn.text).toBe(201);
  const ofPage = { cookie: cookieOf(signedIn), 'sec-fetch-site': 'same-origin' };
  const calls = await callBoth(`${operatorUrl}/operator/v1/apps`, { headers: ofPage });
  expect(statusesOf(calls)).toEqual(new Set([200]));
  const again = {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ code }),
  };
  expect(statusesOf(await callBoth(`${operatorUrl}/operator/v1/sessions`, again))).toEqual(new Set([401]));
});

test('calls that wait for an event on both workers return the event that one of them wrote', async () => {
  const url = `${publicUrl}/events/v1/events?after=now&waitSeconds=30`;
  const waiting = Array.from({ length: 8 }, () => callNext(url, { headers, timeoutMs: 40_000 }));
  await waitFor(async () => (await metric('opentill_event_waiters')) === 8, {
    deadlineMs: 20_000,
    what: 'eight calls that wait, counted over both workers',
  });
  await recordTestPurchase(address, app, { purchaseId: 'P-2' });
  const answers = await Promise.all(waiting);
  expect(new Set(answers.map(({ worker }) => worker)).size).toBe(2);
  for (const { text } of answers) expect(text).toContain('P-2');
});

test('/metrics has the sums of all processes, whichever worker answers', async () => {
  const url = `${publicUrl}/v2/purchase/voided-purchases/${app.packageName}`;
  const { length } = await callBoth(url, { headers });
  for (const { text } of await callBoth(`${operatorUrl}/metrics`)) {
    expect(text).toContain(`\n${voidedLists} ${length}\n`);
    expect(text).toContain('\nopentill_workers 2\n');
    expect(text).toContain('\nopentill_clock_problem{problem="skew"} 0\n');
    expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
  }
  const timed = 'opentill_call_duration_seconds_count{operation="getVoidedPurchases"}';
  expect(await metric(timed)).toBeGreaterThanOrEqual(length);
});

test('a killed worker is replaced, calls that it did not answer succeed when retried, and no sum shrinks', async () => {
  const purchaseIds = ['K-1', 'K-2', 'K-3', 'K-4', 'K-5', 'K-6'];
  for (const purchaseId of purchaseIds) await recordTestPurchase(address, app, { purchaseId });
  const urls = purchaseIds.map((purchaseId) => purchaseUrl('consume', purchaseId));
  const inFlight = await Promise.all(urls.map((url) => beginPost(url, app.token)));
  const before = await metric(voidedLists);
  const [killed = Number.NaN, other] = workersOf(server);
  process.kill(killed, 'SIGKILL');
  const outcomes = await Promise.allSettled(inFlight.map((call) => call.finish()));
  const failed = urls.filter((_, index) => outcomes[index]?.status === 'rejected');
  expect([failed.length > 0, failed.length < urls.length]).toEqual([true, true]);
  const retries = await Promise.all(failed.map((url) => callNext(url, { method: 'POST', headers })));
  expect(statusesOf(retries)).toEqual(new Set([200]));

  await waitFor(async () => !workersOf(server).includes(killed) && (await metric('opentill_workers')) === 2, {
    deadlineMs: 30_000,
    what: 'another worker',
  });
  expect(workersOf(server)).toEqual([other, expect.any(Number)]);
  await callBoth(`${publicUrl}/v2/none`);
  expect(await metric(voidedLists)).toBe(before);
});

test('while workers are killed under load, calls fail only with their connection, and nothing acknowledged is lost', {
  timeout: 300_000,
}, async () => {
  const load = new AcknowledgedLoad(app, adminKey);
  for (let kill = 0; kill < kills; kill += 1) {
    const [killed = Number.NaN] = workersOf(server);
    const enough = load.acknowledgedCalls + callsBeforeKill;
    let isKilled = false;
    await load.run(address, () => {
      if (!isKilled && load.acknowledgedCalls >= enough) {
        process.kill(killed, 'SIGKILL');
        isKilled = true;
      }
      return load.acknowledgedCalls >= enough + callsBeforeKill;
    });
    await waitFor(() => workersOf(server).length === 2, { deadlineMs: 30_000, what: 'another worker' });
    await callBoth(`${publicUrl}/v2/none`);
    await load.expectNewThere(address);
  }
  await load.expectAllThere(address);
  expect(load.unavailableCalls).toBe(0);
});

test('OPENTILL_MAX_CONNECTIONS limits the connections of both workers together, and further ones are closed', async () => {
  const { hostname, port } = new URL(publicUrl);
  await using opened = new AsyncDisposableStack();
  const open = async (): Promise<string> => {
    const socket = connect({ host: hostname, port: Number(port) });
    opened.defer(async () => void socket.destroy());
    socket.on('error', () => undefined).write('GET /none HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return await Promise.race([
      once(socket, 'data').then(
        ([head]) => workerOf(/^x-request-id: (.*)$/m.exec(String(head))?.[1]),
        () => 'closed',
      ),
      once(socket, 'close').then(
        () => 'closed',
        () => 'closed',
      ),
    ]);
  };
  const outcomes: string[] = [];
  while (outcomes.length < connectionsMax + 20) outcomes.push(await open());
  const perWorker = Map.groupBy(outcomes, (outcome) => outcome);
  expect(perWorker.size).toBe(3);
  expect(perWorker.get('closed')?.length).toBeGreaterThanOrEqual(20);
  perWorker.delete('closed');
  for (const { length } of perWorker.values()) expect(length).toBeLessThanOrEqual(connectionsMax / 2);
  expect(Math.max(...[...perWorker.values()].map(({ length }) => length))).toBeGreaterThan(20);

  await opened.disposeAsync();
  const areFree = async () => {
    const calls = Array.from({ length: 8 }, () => callNext(`${publicUrl}/v2/none`));
    return (await Promise.allSettled(calls)).every(({ status }) => status === 'fulfilled');
  };
  await waitFor(areFree, { deadlineMs: 20_000, what: 'workers that have noticed the closed connections' });
});

test('Ctrl-C, which reaches every process of the server, lets calls in flight finish and leaves no process', async () => {
  const purchaseIds = ['C-1', 'C-2', 'C-3', 'C-4'];
  for (const purchaseId of purchaseIds) await recordTestPurchase(address, app, { purchaseId });
  const inFlight = await Promise.all(
    purchaseIds.map((purchaseId) => beginPost(purchaseUrl('consume', purchaseId), app.token)),
  );
  const loggedBefore = loggedConsumptions();
  const workers = workersOf(server);
  for (const pid of [...workers, server.pid]) process.kill(pid, 'SIGINT');
  await waitFor(isClosed, { deadlineMs: 8_000, what: 'a closed listener' });
  expect(await Promise.all(inFlight.map((call) => call.finish()))).toEqual(
    purchaseIds.map((purchaseId) => `200 {"consumptionState":1,"purchaseId":"${purchaseId}"}`),
  );
  expect(await server.ended()).toBe(0);
  expect(server.output.stderr).toBe('');
  expect(workers.map(commandLineOf)).toEqual(['', '']);
  expect(loggedConsumptions() - loggedBefore).toBe(purchaseIds.length);
});
