// The hints of the request log, each provoked by one call, and none by good calls.

import { hints } from '@opentill/contract/logged-request.ts';
import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  newTestApp,
  recordTestPurchase,
  requestToken,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callSandbox } from '../operator-api/checked-call.ts';
import { callPurchase, type PurchaseCall } from '../purchase-api/purchase-call.ts';
import { loggedRequests, newestHints, putTestFaults } from './sandbox-stage.ts';

const { expelTokens, putToken } = sandboxApi;

let app: TestApp;

const server = await useTestServer({ env: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });

beforeEach(async () => {
  server.clock.set(testNow);
  app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
});

const details = (call: PurchaseCall = {}) =>
  callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' }, ...call });
const withHeader = (authorization: string) => details({ headers: { authorization } });
const voided = (query = '') => callPurchase(server, getVoidedPurchases, app, { query });

test('good calls get no hint', async () => {
  await details();
  await callPurchase(server, getPurchaseDetailsByProductId, app, {
    path: { purchaseId: 'P-1', productId: 'coins' },
  });
  await callPurchase(server, consumePurchase, app, { path: { purchaseId: 'P-1' } });
  await voided();
  await voided();
  const logged = await loggedRequests(server, app);
  expect(logged).toHaveLength(6);
  expect(logged.flatMap((request) => request.hints)).toEqual([]);
});

test('a hint comes with what it is about', async () => {
  await details({ headers: { 'content-type': undefined } });
  const [newest] = await loggedRequests(server, app, 1);
  expect(newest?.hints).toEqual([{ hint: 'contentTypeMissing', explanation: hints.contentTypeMissing }]);
});

describe('a call is told', () => {
  test.each([
    ['contentTypeMissing', { 'content-type': undefined }],
    ['contentTypeMissing', { 'content-type': 'text/plain' }],
  ] as const)('%s with the headers %j, though it succeeds here', async (hint, headers) => {
    expect((await details({ headers })).status).toBe(200);
    expect(await newestHints(server, app)).toEqual([hint]);
  });

  test.each([
    ['bearerLowerCase', (token: string) => `bearer ${token}`],
    ['bearerLowerCase', (token: string) => `BEARER ${token}`],
    ['bearerMissing', (token: string) => token],
    ['tokenInBrackets', (token: string) => `Bearer <${token}>`],
    ['tokenInBrackets', (token: string) => `<${token}>`],
    ['bearerSpaceMissing', (token: string) => `Bearer${token}`],
    ['authorizationMalformed', (token: string) => `Bearer  ${token}`],
    ['authorizationMalformed', (token: string) => `Bearer "${token}"`],
    ['authorizationMalformed', (token: string) => `Token ${token}`],
  ] as const)('%s for a wrong form of the header', async (hint, headerOf) => {
    expect((await withHeader(headerOf(app.token))).status).toBe(401);
    expect(await newestHints(server, app)).toEqual([hint]);
  });

  test.each([(token: string) => `Bearer x${token}`, (token: string) => `Bearer ${token}x`])(
    'nothing, and is no call of the app, when a longer word holds its token',
    async (headerOf) => {
      expect((await withHeader(headerOf(app.token))).status).toBe(401);
      await details();
      const logged = await loggedRequests(server, app);
      expect(logged.map(({ operationId }) => operationId)).toEqual(['getPurchaseDetails', 'getAccessToken']);
    },
  );

  test('tokenExpired when its token has lived out its time, or was made to', async () => {
    const { token } = app;
    await callSandbox(server, putToken, { key: token, body: { expiresIn: 0 } });
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpired']);
    server.clock.advance(3_602_000);
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpired']);
  });

  test('tokenExpelled when its token was taken back', async () => {
    await callSandbox(server, expelTokens, { key: app.token });
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpelled']);
  });

  test('nothing about its token when a fault wanted the 401', async () => {
    await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 401, times: 1 }]);
    expect((await details()).status).toBe(401);
    expect(await newestHints(server, app)).toEqual([]);
  });

  test('otherPackage when the path names another app than its token', async () => {
    await details({ path: { purchaseId: 'P-1', packageName: 'com.example.other' } });
    expect(await newestHints(server, app)).toEqual(['otherPackage']);
    await callPurchaseApi(server, { token: app.token, path: '/details/P-1' });
    expect(await newestHints(server, app)).toEqual([]);
  });

  test('clientSecretWrong when the token endpoint refuses the secret, and not when it refuses the form', async () => {
    expect((await requestToken(server, { ...app, clientSecret: 'wrong' })).status).toBe(400);
    expect(await newestHints(server, app)).toEqual(['clientSecretWrong']);
    expect((await requestToken(server, { ...app, clientSecret: '' })).status).toBe(400);
    expect(await newestHints(server, app)).toEqual([]);
  });
});
