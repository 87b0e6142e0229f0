// Faults on calls of the purchase API: valid and invalid ones, their responses, how often they apply, and to which calls.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { type ErrorName, errors } from '@opentill/contract/errors.ts';
import { delayMsMax, faultsMax } from '@opentill/contract/faults.ts';
import { purchaseOperations } from '@opentill/contract/operations.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import { beforeEach, expect, test } from 'vitest';
import {
  createTestApp,
  type HttpResponse,
  recordTestPurchase,
  requestToken,
  type TestApp,
  useTwoTestServers,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { callPurchase, expectFailure, jsonContentType } from '../../../../test/support/http/purchase-call.ts';
import { goodCalls, recordGoodPurchases } from '../http/purchase-operations.ts';
import { formOf, postForm } from '../tokens/token-call.ts';
import { faultsResponse, loggedRequests, putTestFaults } from './sandbox-stage.ts';

const [server, second] = await useTwoTestServers();
const app = await createTestApp(server);
const other = await createTestApp(server, 'com.example.other');
await recordGoodPurchases(server, app);
await recordTestPurchase(server, other, { purchaseId: 'P-1' });
beforeEach(() => putTestFaults(server, app, []));

/** A call that succeeds without a fault. */
function goodCall(operation: PurchaseOperation, on = server, by: TestApp = app): Promise<HttpResponse> {
  if (operation.operationId === 'getAccessToken') return postForm(on, formOf(by));
  const call = goodCalls.find(({ operationId }) => operationId === operation.operationId);
  return callPurchase(on, operation, by, { path: call?.path ?? {} });
}

const details = (on = server, by: TestApp = app) => goodCall(getPurchaseDetails, on, by);

/** All but the 401 of getAccessToken, which its specification does not have. */
const provocations = purchaseOperations.flatMap((operation: PurchaseOperation) => {
  const common = operation.operationId === 'getAccessToken' ? [] : (['unauthorized'] as const);
  const names = new Set<ErrorName>([...operation.errors, ...common, 'internalError']);
  return [...names].map((name) => ({ operation, name, ...operation, ...errors[name] }));
});

test.each(provocations)(
  'a single fault returns $code of $operationId with its status and title, and the next call succeeds',
  async ({ operation, operationId, name, code, title }) => {
    await putTestFaults(server, app, [{ operation: operationId, code, times: 1 } as never]);
    const response = await goodCall(operation);
    expectFailure(response, name);
    expect(response.body.error.message).toBe(title);
    // The call takes place: a purchase that an earlier call consumed cannot be consumed again.
    expect([undefined, 9201]).toContain((await goodCall(operation)).body.error?.code);
    expect((await faultsResponse(server, app))[0]?.applied).toBe(1);
  },
);

test.each([
  [404, errors.unknownPath.title],
  [429, errors.tooManyRequests.title],
  [503, errors.unavailable.title],
  [599, errors.internalError.title],
])('a fault with the status %i is returned with it and the error 9999', async (httpStatus, message) => {
  await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', httpStatus }]);
  const path = `/v2/purchase/details/P-1/${app.packageName}`;
  const response = await fetch(server.publicUrl + path, {
    headers: { authorization: `Bearer ${app.token}` },
  });
  expect(response.status).toBe(httpStatus);
  expect(await response.text()).toBe(JSON.stringify({ error: { code: 9999, message } }));
  expect(response.headers.get('content-type')).toBe(jsonContentType);
  expect(response.headers.get('retry-after')).toBe(httpStatus === 429 || httpStatus === 503 ? '1' : null);
  expect((await loggedRequests(server, app, 1))[0]).toMatchObject({ httpStatus, errorCode: 9999 });
});

test('faults apply only to calls of their own app and operation', async () => {
  await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 9001 }]);
  expectFailure(await details(), 'notFound');
  expect((await details(server, other)).status).toBe(200);
  expect((await goodCall(getVoidedPurchases)).status).toBe(200);
});

test('no fault is injected into a call without a valid token', async () => {
  await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 9001 }]);
  const headers = { authorization: `bearer ${app.token}` };
  const response = await callPurchase(server, getPurchaseDetails, app, {
    path: { purchaseId: 'P-1' },
    headers,
  });
  expectFailure(response, 'unauthorized');
  expect((await faultsResponse(server, app))[0]?.applied).toBe(0);
});

test('all servers together count `times`, however many calls are concurrent', async () => {
  await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 9001, times: 25 }]);
  const responses = await Promise.all(
    Array.from({ length: 120 }, (_, index) => details(index % 2 === 0 ? server : second)),
  );
  expect(responses.filter(({ status }) => status === 404)).toHaveLength(25);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(95);
  expect((await faultsResponse(second, app))[0]?.applied).toBe(25);
});

test('a fault on getAccessToken applies only to calls with the right secret', async () => {
  await putTestFaults(server, app, [{ operation: 'getAccessToken', code: 401, times: 1 }]);
  expect((await requestToken(server, { ...app, clientSecret: 'wrong' })).status).toBe(400);
  expect(await faultsResponse(server, app)).toMatchObject([{ applied: 0 }]);
  expect((await requestToken(server, app)).status).toBe(401);
  expect((await requestToken(server, app)).status).toBe(200);
});

const put = (body: unknown) => callDeveloper(server, developerApi.putFaults, { key: app.token, body });

test('putFaults returns each fault as it was set and replaces the previous list', async () => {
  const faults = [
    { operation: 'consumePurchase', code: 9202, times: 3 },
    { operation: 'getAccessToken', httpStatus: 500 },
    { operation: 'getVoidedPurchases', delayMs: 1 },
    { operation: 'getPurchaseDetails', delayMs: delayMsMax, cut: 'after' },
    { operation: 'charge', outcome: 'noAnswer', firstPurchaseId: 'S-1', times: 1 },
  ];
  await put([{ operation: 'getPurchaseDetails', code: 401 }]);
  const response = await put(faults);
  expect(response.body).toEqual({ faults: faults.map((fault) => ({ ...fault, applied: 0 })) });
  expect(await faultsResponse(server, app)).toEqual(response.body.faults);
  expect((await put([])).body).toEqual({ faults: [] });
});

test.each([
  ['a code that the operation never returns', { operation: 'consumePurchase', code: 9001 }, '/0/code'],
  ['two responses', { operation: 'getPurchaseDetails', code: 9001, httpStatus: 500 }, '/0/httpStatus'],
  ['a fault without any effect', { operation: 'getPurchaseDetails', times: 1 }, '/0/code'],
  ['a charge without an outcome', { operation: 'charge', times: 1 }, '/0/outcome'],
  ['a delay over the limit', { operation: 'getPurchaseDetails', delayMs: delayMsMax + 1 }, '/0/delayMs'],
])('putFaults rejects %s with 400 and its position', async (_title, fault, path) => {
  await putTestFaults(server, app, [{ operation: 'charge', outcome: 'declined' }]);
  const response = await put([fault]);
  expect(response.status).toBe(400);
  expect(response.body.errors).toContainEqual({ path, message: expect.any(String) });
  expect(await faultsResponse(server, app)).toMatchObject([{ outcome: 'declined' }]);
});

test('putFaults rejects more faults than an app may have with 400', async () => {
  const fault = { operation: 'charge', outcome: 'pending' };
  expect((await put(Array(faultsMax).fill(fault))).status).toBe(200);
  expect((await put(Array(faultsMax + 1).fill(fault))).status).toBe(400);
});
