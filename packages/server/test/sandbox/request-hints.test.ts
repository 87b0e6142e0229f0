// The hints of the request log, each triggered by one call, and none for valid calls.

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
import { sendRequest } from '../purchase-api/sent-request.ts';
import { setClientSecret } from '../stage.ts';
import { formContentType, formOf } from '../tokens/token-call.ts';
import { loggedRequests, newestHints, putTestFaults } from './sandbox-stage.ts';

const { expelTokens, putToken } = sandboxApi;

let app: TestApp;

const server = await useTestServer({ env: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });

beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
});

const details = (call: PurchaseCall = {}) =>
  callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' }, ...call });
const withHeader = (authorization: string) => details({ headers: { authorization } });
const voided = (query = '') => callPurchase(server, getVoidedPurchases, app, { query });

const grant = 'grant_type=client_credentials';

interface TokenCall {
  readonly authorization?: string;
  /** Absent: neither a body nor a Content-Type. */
  readonly form?: string;
}

function postToken(query: string, { authorization, form }: TokenCall = {}) {
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(form !== undefined && { 'content-type': formContentType }),
  };
  const path = `/v2/oauth/token${query}`;
  return sendRequest(server.publicUrl, { method: 'POST', path, headers, body: form ?? '' });
}

test('valid calls get no hint', async () => {
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

test('a hint comes with its details', async () => {
  await details({ headers: { 'content-type': undefined } });
  const [newest] = await loggedRequests(server, app, 1);
  expect(newest?.hints).toEqual([{ hint: 'contentTypeMissing', explanation: hints.contentTypeMissing }]);
});

test('9001, 9200 and 9201 have a hint, unless they are injected', async () => {
  const consume = (purchaseId: string) =>
    callPurchase(server, consumePurchase, app, { path: { purchaseId } });
  await details({ path: { purchaseId: 'P-none' } });
  await consume('P-none');
  await consume('P-1');
  await consume('P-1');
  await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 9001 }]);
  await details();
  const logged = await loggedRequests(server, app, 5);
  expect(logged.map((request) => request.hints[0]?.hint)).toEqual([
    undefined,
    'consumptionFinal',
    undefined,
    'notCompleted',
    'recordMissing',
  ]);
});

describe('hints', () => {
  test.each([
    ['contentTypeMissing', { 'content-type': undefined }],
    ['contentTypeMissing', { 'content-type': 'text/plain' }],
  ] as const)(
    'the hint %s is given for the headers %j, although the call succeeds here',
    async (hint, headers) => {
      expect((await details({ headers })).status).toBe(200);
      expect(await newestHints(server, app)).toEqual([hint]);
    },
  );

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
  ] as const)('the hint %s is given for a malformed Authorization header', async (hint, headerOf) => {
    expect((await withHeader(headerOf(app.token))).status).toBe(401);
    expect(await newestHints(server, app)).toEqual([hint]);
  });

  test.each([(token: string) => `Bearer x${token}`, (token: string) => `Bearer ${token}x`])(
    'a call whose token is part of a longer word gets no hint and is not logged for the app',
    async (headerOf) => {
      expect((await withHeader(headerOf(app.token))).status).toBe(401);
      await details();
      const logged = await loggedRequests(server, app);
      expect(logged.map(({ operationId }) => operationId)).toEqual(['getPurchaseDetails', 'getAccessToken']);
    },
  );

  test('the hint tokenExpired is given for a token that has expired or was shortened', async () => {
    const { token } = app;
    await callSandbox(server, putToken, { key: token, body: { expiresIn: 0 } });
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpired']);
    await server.clock.advance(3_602_000);
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpired']);
  });

  test('the hint tokenExpelled is given for an expelled token', async () => {
    await callSandbox(server, expelTokens, { key: app.token });
    expect((await details()).status).toBe(401);
    app = { ...app, token: (await requestToken(server, app)).body.access_token };
    expect((await loggedRequests(server, app))[1]?.hints.map(({ hint }) => hint)).toEqual(['tokenExpelled']);
  });

  test('no hint about the token is given if a fault injected the 401', async () => {
    await putTestFaults(server, app, [{ operation: 'getPurchaseDetails', code: 401, times: 1 }]);
    expect((await details()).status).toBe(401);
    expect(await newestHints(server, app)).toEqual([]);
  });

  test("the hint otherPackage is given if the path names a package other than the token's", async () => {
    await details({ path: { purchaseId: 'P-1', packageName: 'com.example.other' } });
    expect(await newestHints(server, app)).toEqual(['otherPackage']);
    await callPurchaseApi(server, { token: app.token, path: '/details/P-1' });
    expect(await newestHints(server, app)).toEqual([]);
  });

  test('the hint clientSecretWrong is given if the token endpoint rejects the secret, and not if it rejects the form', async () => {
    expect((await requestToken(server, { ...app, clientSecret: 'wrong' })).status).toBe(400);
    expect(await newestHints(server, app)).toEqual(['clientSecretWrong']);
    expect((await requestToken(server, { ...app, clientSecret: '' })).status).toBe(400);
    expect(await newestHints(server, app)).toEqual([]);
  });

  test('the hint secretNotEncoded is given for a secret that arrives with a space, accepted or not', async () => {
    await setClientSecret(server, app, 'a+secret');
    expect((await requestToken(server, { ...app, clientSecret: 'a secret' })).status).toBe(200);
    expect(await newestHints(server, app)).toEqual(['secretNotEncoded']);
    expect((await requestToken(server, { ...app, clientSecret: 'a wrong' })).status).toBe(400);
    expect(await newestHints(server, app)).toEqual(['clientSecretWrong', 'secretNotEncoded']);
    expect((await requestToken(server, { ...app, clientSecret: 'a+secret' })).status).toBe(200);
    expect(await newestHints(server, app)).toEqual([]);
  });

  test.each(['\n', '\r\n', ' ', '\t'])(
    'the hint secretHasWhitespace is given for a wrong secret that ends or starts with %j',
    async (whitespace) => {
      for (const clientSecret of [`${app.clientSecret}${whitespace}`, `${whitespace}${app.clientSecret}`]) {
        expect((await requestToken(server, { ...app, clientSecret })).status).toBe(400);
        expect(await newestHints(server, app)).toEqual(['clientSecretWrong', 'secretHasWhitespace']);
      }
    },
  );

  const basic = (user: string, secret: string) =>
    `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  const inQuery = (secret: string) => `?${new URLSearchParams(formOf({ ...app, clientSecret: secret }))}`;

  test.each([
    ['credentialsInQuery', 'form', (secret: string) => postToken(inQuery(secret), { form: '' })],
    ['credentialsInQuery', 'nothing', (secret: string) => postToken(inQuery(secret))],
    [
      'credentialsInHeader',
      'form',
      (secret: string) => postToken('', { authorization: basic(app.clientId, secret), form: grant }),
    ],
    [
      'credentialsInHeader',
      'nothing',
      (secret: string) => postToken('', { authorization: basic(app.clientId, secret) }),
    ],
  ] as const)(
    'the hint %s is given if the body is a %s, and no part of the secret is stored',
    async (hint, _body, send) => {
      for (const secret of ['s3', 'a&maxResults=s3+&startTime=s3', app.clientSecret]) {
        expect((await send(secret)).status).toBe(400);
        const [logged] = await loggedRequests(server, app, 1);
        expect(logged).toMatchObject({ hints: [{ hint }], path: '/v2/oauth/token' });
        expect(JSON.stringify({ ...logged, requestId: '' })).not.toMatch(/s3|[\w-]{36,}/);
      }
    },
  );
});
