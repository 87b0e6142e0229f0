// Each call has one log line without secrets and is counted once, by an outcome that says whose failure it was.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { expect, test } from 'vitest';
import {
  adminKey,
  call,
  createTestApp,
  operate,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure, goodHeaders } from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import { query } from '../../../../test/support/query.ts';
import { withoutTable } from '../../../../test/support/stage.ts';
import { openSecondConnection, waitingStatements } from '../../../../test/support/store/second-connection.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { formContentType, formOf, postForm } from '../tokens/token-call.ts';
import { PipelinedConnection } from './pipelined-client.ts';
import { goodCalls, recordGoodPurchases } from './purchase-operations.ts';

const logLines: string[] = [];
const payload = 'payload-that-nobody-may-read';

const server = await useTestServer({ logLines });
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

/** The counters of a metric: their values by their labels, as Prometheus reads them. */
async function counted(metric: string): Promise<Readonly<Record<string, number>>> {
  const { text } = await call(`${server.operatorUrl}/metrics`);
  const lines = text.matchAll(new RegExp(`^${metric}\\{(.*)\\} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, labels, value]) => [labels, Number(value)]));
}

const parsedLines = () => logLines.map((line) => JSON.parse(line));

test('counters of charges, webhook attempts and the outcomes of calls start at 0', async () => {
  const zeros = (names: readonly string[]) =>
    Object.fromEntries(names.map((outcome) => [`outcome="${outcome}"`, 0]));
  expect(await counted('opentill_charges_total')).toEqual(
    zeros(['paid', 'declined', 'declinedFinal', 'pending', 'unknown']),
  );
  expect(await counted('opentill_webhook_attempts_total')).toEqual(zeros(['delivered', 'failed', 'dead']));
  const calls = await counted('opentill_calls_total');
  for (const [operation, outcomes] of [
    ['consumePurchase', ['success', '9999', 'unavailable', 'overloaded']],
    ['listEvents', ['success', '9999', 'unavailable', 'overloaded']],
    ['voidPurchase', ['success', 'internalError', 'unavailable', 'overloaded']],
  ] as const) {
    for (const outcome of outcomes)
      expect(calls).toHaveProperty([`operation="${operation}",outcome="${outcome}"`], 0);
  }
});

test('the outcome of a rejected call that gets 9999 is the name of its error, and a fault has that of the error it injects', async () => {
  const read = `/v2/purchase/details/P-1/${app.packageName}`;
  const send = (method: string, path: string) =>
    sendRequest(server.publicUrl, { method, path, headers: goodHeaders(app) });
  const inject = async (httpStatus: number) => {
    await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', httpStatus, times: 1 }]);
    return send('GET', read);
  };
  for (const [responded, outcome] of [
    [await send('GET', '/v2/purchases'), 'unknownPath'],
    [await send('POST', read), 'methodNotAllowed'],
    [await inject(429), 'tooManyRequests'],
    [await inject(503), 'unavailable'],
    [await inject(500), '9999'],
  ] as const) {
    const requestId = responded.headers.get('x-request-id');
    const ofCall = () => parsedLines().filter((line) => line.requestId === requestId);
    await waitFor(() => ofCall().length > 0, { what: 'the line of the call' });
    expect(responded.body.error.code).toBe(9999);
    expect(ofCall()).toMatchObject([{ outcome, status: responded.status }]);
  }
});

test('calls over a limit of the server are counted as overloaded by app, and logged once without a stack', async () => {
  const busy = await createTestApp(server, 'com.example.busy');
  await using second = await openSecondConnection(server.connection);
  await second.run('lock table event in access exclusive mode');
  using connections = new DisposableStack();
  const list = {
    method: 'GET',
    path: '/events/v1/events',
    headers: { authorization: `Bearer ${busy.token}` },
  };
  const sendLists = (count: number) =>
    connections.use(new PipelinedConnection(server.publicUrl)).send(Array(count).fill(list));
  // One read of the app runs, 2,000 may wait for it, and the others are too many.
  const sent = [sendLists(1)];
  await waitingStatements(server.connection, 1);
  for (let sender = 0; sender < 21; sender += 1) sent.push(sendLists(100));
  const overloads = async () =>
    (await counted('opentill_overloaded_calls_total'))[`app="${busy.packageName}"`];
  await waitFor(async () => (await overloads()) === 100, { what: '100 calls over the limit' });
  await second.commit();
  const statuses = (await Promise.all(sent)).flat().map(({ status }) => status);
  expect(Map.groupBy(statuses, (status) => status).get(503)).toHaveLength(100);
  expect(await counted('opentill_calls_total')).toMatchObject({
    'operation="listEvents",outcome="overloaded"': 100,
    'operation="listEvents",outcome="unavailable"': 0,
  });
  const alerts = parsedLines().filter(({ level, app: of }) => of === busy.packageName && level > 30);
  expect(alerts).toMatchObject([{ level: 40, code: 'overloaded', operationId: 'listEvents' }]);
  expect(alerts[0]).not.toHaveProperty('err');
});

test('an internal error returns 500 with a general message and is logged with its cause', async () => {
  const read = () => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' } });
  const response = await withoutTable(server, 'purchase', read);
  expectFailure(response, 'internalError');
  expect(response.headers.get('connection')).not.toBe('close');
  const requestId = response.headers.get('x-request-id');
  const cause = logLines
    .map((line) => JSON.parse(line))
    .find((line) => line.requestId === requestId && line.err);
  expect(cause).toMatchObject({ operationId: 'getPurchaseDetails', app: app.packageName });
  expect(cause.err.message).toContain('purchase');
  expect((await read()).status).toBe(200);
});

test('no log line has a token, secret, key, Authorization header or developerPayload, even with internal errors', async () => {
  const secretive = await createTestApp(server, 'com.example.secretive');
  const rotated = await operate(server, 'POST', `/apps/${secretive.packageName}/client-secret`);
  const wrongSecret = 'a-secret-that-was-mistyped';
  const wrongToken = 'a-token-that-was-mistyped-0123456789';
  const wrongKey = 'an-operator-key-that-was-mistyped';
  for (const productId of ['coins', 'monthly']) {
    const sold = { productId, purchaseId: productId, developerPayload: payload };
    await recordTestPurchase(server, secretive, sold);
  }
  const id = (operationId: string) => (/ecurring/.test(operationId) ? 'monthly' : 'coins');
  for (const { operation, path, operationId } of goodCalls) {
    const values = { ...path, purchaseId: id(operationId) };
    const send = (headers: Record<string, string | undefined>, query = '') =>
      callPurchase(server, operation, secretive, { path: values, headers, query, body: payload });
    await send({});
    await send({}, `?access_token=${secretive.token}&client_secret=${secretive.clientSecret}&x=${payload}`);
    await send({ 'content-type': payload });
    await send({ authorization: `bearer ${secretive.token}` });
    await send({ authorization: `Bearer ${wrongToken}` });
    const foreign = { ...values, packageName: app.packageName };
    await callPurchase(server, operation, secretive, { path: foreign });
  }
  await postForm(server, formOf(secretive));
  await postForm(server, { ...formOf(secretive), client_secret: wrongSecret });
  await postForm(server, { ...formOf(secretive), grant_type: secretive.clientSecret });
  await postForm(server, formOf(secretive), { 'content-type': 'application/json' });
  await sendRequest(server.publicUrl, {
    method: 'POST',
    path: `/none/${secretive.token}?client_secret=${secretive.clientSecret}`,
    headers: { ...goodHeaders(secretive), 'content-type': formContentType },
    body: new URLSearchParams(formOf(secretive)).toString(),
  });
  await operate(server, 'GET', '/apps', { key: wrongKey });
  await faultWithRow(secretive);

  const said = logLines.join('\n');
  const secrets = [secretive.token, secretive.clientSecret, rotated.body.clientSecret, adminKey, payload];
  for (const secret of [...secrets, wrongSecret, wrongToken, wrongKey]) expect(said).not.toContain(secret);
  expect(said).not.toMatch(/bearer|authorization/i);
});

/** An error of PostgreSQL whose text contains the whole row. */
async function faultWithRow(secretive: TestApp): Promise<void> {
  await recordTestPurchase(server, secretive, { purchaseId: 'last', developerPayload: payload });
  const constraint = 'never_consumed check (consumed_time is null) not valid';
  await query(server.connection, `alter table purchase add constraint ${constraint}`);
  const response = await callPurchase(server, consumePurchase, secretive, { path: { purchaseId: 'last' } });
  await query(server.connection, 'alter table purchase drop constraint never_consumed');
  expectFailure(response, 'internalError');
  await waitFor(() => logLines.some((line) => line.includes('never_consumed')), {
    what: 'a line about the fault',
  });
}

test('health checks and scrapes that succeed have no line of the level info, and those that fail have', async () => {
  const lines: string[] = [];
  await using other = await startTestServer({ logLines: lines });
  const read = async (paths: readonly string[]) => {
    for (const path of paths) await call(`${other.operatorUrl}${path}`);
    return lines.map((line) => JSON.parse(line).operationId);
  };
  const paths = ['/health/live', '/health/ready', '/metrics'];
  expect(await read([...paths, '/docs/problems'])).toEqual(['docs']);
  void other.drain(0);
  expect(await read(paths)).toEqual(['docs', undefined, 'healthReady']);
});
