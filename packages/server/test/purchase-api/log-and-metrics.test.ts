// Each call has one log line without secrets and is counted once.

import { describe, expect, test } from 'vitest';
import { query } from '../embedded/scratch.ts';
import {
  type Answer,
  adminKey,
  call,
  createTestApp,
  operate,
  recordTestPurchase,
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

/** The log line of a call, which is written after its response. */
async function lineOf({ headers }: Answer): Promise<Record<string, unknown>> {
  const requestId = headers.get('x-request-id');
  const lines = await waitFor(
    () => {
      const found = logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
      return found.some((line) => line.outcome !== undefined) && found;
    },
    { what: `a line about ${requestId}` },
  );
  expect(lines.filter((line) => line.outcome !== undefined)).toHaveLength(1);
  return lines.find((line) => line.outcome !== undefined);
}

async function expectLine(answer: Answer, expected: Record<string, unknown>): Promise<void> {
  const { level: _, time: __, ms, ...line } = await lineOf(answer);
  expect(ms).toEqual(expect.any(Number));
  expect(line).toEqual({
    requestId: answer.headers.get('x-request-id'),
    address: '127.0.0.1',
    ...expected,
  });
}

describe('request log lines', () => {
  test.each(goodCalls)(
    'a call of $operationId logs one line with address, requestId, operationId, app, outcome and status',
    async ({ operationId, operation, path }) => {
      const about = { operationId, app: app.packageName };
      const good = await callPurchase(server, operation, app, { path });
      await expectLine(good, { ...about, outcome: 'success', status: 200 });
      const headers = { authorization: undefined };
      const refused = await callPurchase(server, operation, app, { path, headers });
      await expectLine(refused, { operationId, app: null, outcome: '401', status: 401 });
      const foreign = await callPurchase(server, operation, app, { path: { ...path, packageName: 'none' } });
      const { code } = foreign.body.error;
      await expectLine(foreign, { ...about, outcome: String(code), status: foreign.status });
    },
  );

  test('a call of getAccessToken logs one line with address, requestId, operationId, app, outcome and status', async () => {
    const operationId = 'getAccessToken';
    const good = await postForm(server, formOf(app));
    await expectLine(good, { operationId, app: app.packageName, outcome: 'success', status: 200 });
    const wrong = await postForm(server, { ...formOf(app), client_secret: 'wrong' });
    await expectLine(wrong, { operationId, app: app.packageName, outcome: '400', status: 400 });
    const noForm = await postForm(server, formOf(app), { 'content-type': 'application/json' });
    await expectLine(noForm, { operationId, app: null, outcome: '400', status: 400 });
  });
});

test('an internal error returns 500 with a general message and is logged with its cause', async () => {
  const [details] = goodCalls;
  if (details === undefined) throw new Error('There are operations.');
  const read = () => callPurchase(server, details.operation, app, { path: details.path });
  const answer = await withoutTable(server, 'purchase', read);
  expectFailure(answer, 'internalError');
  expect(answer.headers.get('connection')).not.toBe('close');
  const requestId = answer.headers.get('x-request-id');
  const cause = logLines
    .map((line) => JSON.parse(line))
    .find((line) => line.requestId === requestId && line.err);
  expect(cause).toMatchObject({ operationId: details.operationId, app: app.packageName });
  expect(cause.err.message).toContain('purchase');
  expect((await read()).status).toBe(200);
});

test('no log line has a token, secret, key, Authorization header or developerPayload, even with internal errors', async () => {
  const secretive = await createTestApp(server, 'com.example.secretive');
  const rotated = await operate(server, 'POST', `/apps/${secretive.packageName}/client-secret`);
  const wrongSecret = 'a-secret-that-was-mistyped';
  const wrongToken = 'a-token-that-was-mistyped-0123456789';
  for (const productId of ['coins', 'monthly']) {
    await recordTestPurchase(server, secretive, {
      productId,
      purchaseId: productId,
      developerPayload: payload,
    });
  }
  const id = (operationId: string) => (/ecurring/.test(operationId) ? 'monthly' : 'coins');
  for (const { operation, path, operationId } of goodCalls) {
    const values = { ...path, purchaseId: id(operationId) };
    const send = (headers: Record<string, string | undefined>, query = '') =>
      callPurchase(server, operation, secretive, { path: values, headers, query, body: payload });
    await send({});
    await send({}, `?access_token=${secretive.token}&client_secret=${secretive.clientSecret}&x=${payload}`);
    await send({ 'content-type': payload });
    for (const form of ['bearer ', 'Bearer', '']) await send({ authorization: form + secretive.token });
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
  await operate(server, 'GET', '/apps', { key: 'an-operator-key-that-was-mistyped' });
  await faultWithRow(secretive);

  const said = logLines.join('\n');
  const secrets = [
    secretive.token,
    secretive.clientSecret,
    rotated.body.clientSecret,
    wrongSecret,
    wrongToken,
  ];
  for (const secret of [...secrets, adminKey, 'an-operator-key-that-was-mistyped', payload]) {
    expect(said).not.toContain(secret);
  }
  expect(said).not.toMatch(/bearer|authorization/i);
});

/** An error of PostgreSQL whose text contains the whole row. */
async function faultWithRow(secretive: TestApp): Promise<void> {
  await recordTestPurchase(server, secretive, { purchaseId: 'last', developerPayload: payload });
  const constraint = 'never_consumed check (consumed_time is null) not valid';
  await query(server.connection, `alter table purchase add constraint ${constraint}`);
  const consume = goodCalls.find(({ operationId }) => operationId === 'consumePurchase');
  if (consume === undefined) throw new Error('There is consumePurchase.');
  const answer = await callPurchase(server, consume.operation, secretive, { path: { purchaseId: 'last' } });
  await query(server.connection, 'alter table purchase drop constraint never_consumed');
  expectFailure(answer, 'internalError');
  await waitFor(() => logLines.some((line) => line.includes('never_consumed')), {
    what: 'a line about the fault',
  });
}

describe('/metrics', () => {
  async function countOf(operation: string, outcome: string): Promise<number> {
    const { text } = await call(`${server.operatorUrl}/metrics`);
    const start = `opentill_calls_total{operation="${operation}",outcome="${outcome}"} `;
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(start))
        ?.slice(start.length) ?? 0,
    );
  }

  test.each([
    ['getPurchaseDetails', 'success', 'P-1'],
    ['getPurchaseDetails', '9001', 'P-none'],
    ['consumePurchase', '9200', 'P-none'],
    ['consumePurchase', '9201', 'P-1'],
  ])('/metrics counts %s with outcome %s', async (operationId, outcome, purchaseId) => {
    const operation = goodCalls.find((good) => good.operationId === operationId)?.operation;
    if (operation === undefined) throw new Error('There is no such operation.');
    const before = await countOf(operationId, outcome);
    for (let round = 0; round < 3; round += 1) {
      await callPurchase(server, operation, app, { path: { purchaseId } });
    }
    await waitFor(async () => (await countOf(operationId, outcome)) === before + 3, {
      what: `three more ${operationId} ${outcome}`,
    });
  });

  test('/metrics counts durations by operation and names neither apps nor purchases', async () => {
    const { status, headers, text } = await call(`${server.operatorUrl}/metrics`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toMatch(
      /^opentill_call_duration_seconds_bucket\{le="0\.001",operation="getPurchaseDetails"\} \d+$/m,
    );
    expect(text).not.toContain('com.example');
    expect(text).not.toContain('P-1');
    // The public listener does not have these metrics.
    expect((await call(`${server.publicUrl}/metrics`)).status).toBe(404);
  });
});
