// The request log: its entries, who may read it, its limits, and the secrets that are never logged.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { loggedRequestsMax, loggedResponseBytesMax } from '@opentill/contract/logged-request.ts';
import { listRequests as listRequestsOfApp } from '@opentill/contract/operator-api/listRequests.ts';
import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { expect, test } from 'vitest';
import { voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator, everyPage } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { sendRequest } from '../../../../test/support/http/sent-request.ts';
import { query } from '../../../../test/support/query.ts';
import { countRows, withoutTable } from '../../../../test/support/stage.ts';
import { formContentType, formOf } from '../tokens/token-call.ts';
import { loggedRequests } from './sandbox-stage.ts';

const { advanceClock, listRequests, putClock } = developerApi;

const server = await useTestServer();

/** An app whose log has only the call that requested its token. */
const newApp = () => newTestApp(server);

const details = (app: TestApp, purchaseId = 'P-1', on = server) =>
  callPurchase(on, getPurchaseDetails, app, { path: { purchaseId } });

test('the request log shows each call with its response, newest first', async () => {
  const app = await newApp();
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  const found = await details(app);
  const missing = await details(app, 'P-2');
  const requests = await loggedRequests(server, app);
  expect(requests.map(({ operationId }) => operationId)).toEqual([
    'getPurchaseDetails',
    'getPurchaseDetails',
    'getAccessToken',
  ]);
  const [second, first] = requests;
  expect(first).toEqual({
    time: testNow,
    appTime: testNow,
    requestId: found.headers.get('x-request-id'),
    operationId: 'getPurchaseDetails',
    method: 'GET',
    path: `/v2/purchase/details/P-1/${app.packageName}`,
    httpStatus: 200,
    latencyMs: expect.any(Number),
    response: found.text,
    isResponseCut: false,
    hints: [],
  });
  expect(first?.latencyMs).toBeGreaterThan(0);
  const cause = 'The app has no one-time purchase with the id P-2.';
  expect(second).toMatchObject({ httpStatus: 404, errorCode: 9001, response: missing.text, cause });
});

test('the request log is filtered by operation and status, also page by page', async () => {
  const app = await newApp();
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  for (const purchaseId of ['P-1', 'P-2', 'P-1', 'P-3']) await details(app, purchaseId);
  await callPurchase(server, getVoidedPurchases, app);
  const list = (query: Record<string, string | number>) =>
    callDeveloper(server, listRequests, { key: app.token, query });
  const operationId = 'getPurchaseDetails';
  expect((await list({ operationId })).body.requests).toHaveLength(4);
  const missing = { operationId, httpStatus: 404 };
  expect((await list({ status: 404 })).body.requests).toMatchObject([missing, missing]);
  expect((await list({ operationId, status: 200 })).body.requests).toHaveLength(2);
  const filter = { status: 404, pageSize: 1 };
  const { nextPageToken: pageToken } = (await list(filter)).body;
  expect((await list({ ...filter, pageToken })).body.requests).toMatchObject([missing]);
  expect((await list({ status: 99 })).status).toBe(400);
});

test('a call to an unknown path, or with a wrong method or header, is logged for the app of its token at the time of the app', async () => {
  const app = await newApp();
  const { token, packageName } = app;
  await callDeveloper(server, putClock, { key: token, body: { mode: 'frozen' } });
  await callDeveloper(server, advanceClock, { key: token, body: { by: 'P1D' } });
  const send = (path: string, authorization?: string, method = 'GET') =>
    sendRequest(server.publicUrl, { method, path, headers: authorization ? { authorization } : {} });
  const details = `v2/purchase/details/P-1/${packageName}`;
  const unknown = [`/v7/apps/${packageName}/purchases/inapp/t/consume`, `/${details}/`, `//${details}`];
  await send(`/${details}`, `bearer ${token}`);
  for (const path of unknown) await send(path, `Bearer ${token}`);
  await send(`/${details}`, `Bearer ${token}`, 'POST');
  // None of these is logged.
  await send('/developer/v1/nothing', `Bearer ${token}`);
  for (const authorization of [undefined, `Bearer ${token.replace(/^./, 'B')}`])
    await send('/v7', authorization);
  const appTime = testNow + 24 * 60 * 60 * 1_000;
  const explanation = expect.stringMatching(/version v2 .* nearest path is (?:GET|POST) \/v2\//);
  const common = { operationId: 'unknown', appTime, errorCode: 9999 };
  expect((await loggedRequests(server, app)).slice(0, -1)).toMatchObject([
    { ...common, httpStatus: 405, hints: [], cause: 'Expected GET or HEAD, got POST.' },
    ...unknown
      .toReversed()
      .map((path) => ({ ...common, path, httpStatus: 404, hints: [{ hint: 'unknownPath', explanation }] })),
    { appTime, httpStatus: 401 },
  ]);
});

test('a stopping server writes its pending log entries first', async () => {
  const third = await startTestServer({ database: server });
  const app = await newApp();
  for (let call = 0; call < 20; call += 1) await details(app, `P-${call}`, third);
  await third.stop();
  expect(await loggedRequests(server, app)).toHaveLength(21);
});

test('the request log keeps the latest 1,000 calls', async () => {
  const app = await newApp();
  for (let round = 0; round < 24; round += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => details(app, `P-${round}-${index}`)));
  }
  const path = { packageName: app.packageName };
  const pages = await everyPage((page) =>
    callOperator(server, listRequestsOfApp, { path, query: { ...page, pageSize: 200 } }),
  );
  expect(pages.flatMap(({ requests }) => requests)).toHaveLength(loggedRequestsMax);
  expect(await countRows(server, 'request_log', app)).toBe(loggedRequestsMax);
});

test('the request log keeps the first 4 KiB of a long response as whole characters and marks it', async () => {
  const app = await newApp();
  for (let index = 0; index < 60; index += 1) {
    await recordTestPurchase(server, app, { purchaseId: `V-${index}` });
    await voidTestPurchase(server, app, `V-${index}`);
  }
  const response = await callPurchase(server, getVoidedPurchases, app);
  expect(response.text.length).toBeGreaterThan(loggedResponseBytesMax);
  const [logged] = await loggedRequests(server, app, 1);
  expect(logged?.isResponseCut).toBe(true);
  expect(logged?.response).toBe(response.text.slice(0, loggedResponseBytesMax));
});

test('the token and the client secret of a call never get into the request log', async () => {
  const app = await newApp();
  const { token, clientSecret, packageName } = app;
  await recordTestPurchase(server, app, { purchaseId: 'P-1', developerPayload: token });
  const path = `/v2/purchase/details/P-1/${packageName}`;
  const send = (call: string, headers: Record<string, string> = {}) =>
    sendRequest(server.publicUrl, {
      method: 'GET',
      path: call,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    });
  expect((await send(path)).text).toContain(token);
  await send(`/v2/purchase/details/${token}/${packageName}`);
  await send(`${path}?access_token=${token}&client_secret=${clientSecret}`);
  await send(`/v2/purchase/voided-purchases/${packageName}?startTime=${token}&continuationKey=${token}`);
  await send(path, { 'content-type': token });
  await send(path, { authorization: `bearer ${token} ${token}` });
  const form = new URLSearchParams({ ...formOf(app), grant_type: clientSecret });
  await sendRequest(server.publicUrl, {
    method: 'POST',
    path: `/v2/oauth/token?${form}`,
    headers: { 'content-type': formContentType },
    body: form.toString(),
  });
  await requestToken(server, app);
  const requests = await loggedRequests(server, app);
  expect(requests).toHaveLength(9);
  const tokenCalls = requests.filter(({ operationId }) => operationId === 'getAccessToken');
  expect(tokenCalls.map(({ response }) => response)).toEqual(['', '', '']);
  const stored = await query(server.connection, 'select to_jsonb(r) from request_log r');
  for (const secret of [token, clientSecret])
    expect(JSON.stringify([requests, stored])).not.toContain(secret);
});

test('a call without a token that identifies an app is in no request log', async () => {
  const app = await newApp();
  for (const authorization of [undefined, 'Bearer', `Bearer ${app.token.replace(/^./, 'B')}`]) {
    const sent = { path: { purchaseId: 'P-1' }, headers: { authorization } };
    await callPurchase(server, getPurchaseDetails, app, sent);
  }
  expect(await loggedRequests(server, app)).toHaveLength(1);
  expect(await countRows(server, 'request_log', app)).toBe(1);
});

test('a failing request log disturbs no call', async () => {
  const app = await newApp();
  await loggedRequests(server, app);
  await withoutTable(server, 'request_log', async () => {
    const consumed = await callPurchase(server, consumePurchase, app, { path: { purchaseId: 'P-9' } });
    expect(consumed.status).toBe(409);
    // Calls of the log wait until the failed call is dropped.
    expect((await callDeveloper(server, listRequests, { key: app.token })).status).toBe(500);
  });
  expect((await details(app)).status).toBe(404);
  expect(await loggedRequests(server, app)).toHaveLength(2);
});
