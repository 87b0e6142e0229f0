// Each call has one log line without secrets and is counted once.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  adminKey,
  call,
  createTestApp,
  operate,
  recordTestPurchase,
  startTestServer,
  type TestApp,
  useTestServer,
} from '../harness.ts';
import { withoutTable } from '../stage.ts';
import { formContentType, formOf, postForm } from '../tokens/token-call.ts';
import { waitFor } from '../wait-for.ts';
import { callPurchase, expectFailure, goodHeaders } from './purchase-call.ts';
import { goodCalls, recordGoodPurchases } from './purchase-operations.ts';
import { sendRequest } from './sent-request.ts';

const logLines: string[] = [];
const payload = 'payload-that-nobody-may-read';

const server = await useTestServer({ logLines });
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

test('an internal error returns 500 with a general message and is logged with its cause', async () => {
  const read = () => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' } });
  const answer = await withoutTable(server, 'purchase', read);
  expectFailure(answer, 'internalError');
  expect(answer.headers.get('connection')).not.toBe('close');
  const requestId = answer.headers.get('x-request-id');
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
  const answer = await callPurchase(server, consumePurchase, secretive, { path: { purchaseId: 'last' } });
  await query(server.connection, 'alter table purchase drop constraint never_consumed');
  expectFailure(answer, 'internalError');
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
