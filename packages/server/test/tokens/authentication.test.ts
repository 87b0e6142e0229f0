// Authentication: the format of the Authorization header, and tokens of another app, environment or installation.

import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  createTestApp,
  recordTestPurchase,
  startTestServer,
  type TestServer,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { query } from '../../../../test/support/query.ts';
import { goodCalls, recordGoodPurchases } from '../http/purchase-operations.ts';
import { obtainToken } from './token-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

const [details] = goodCalls;

function readWith(authorization: string | undefined, at = server, as = app) {
  if (details === undefined) throw new Error('There are operations.');
  const { operation, path } = details;
  return callPurchase(at, operation, as, { path, headers: { authorization } });
}

const flipped = (token: string) => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');

describe('401 with WWW-Authenticate: Bearer', () => {
  test.each<[string, (token: string) => string | undefined]>([
    ['the token alone', (token) => token],
    ['a lower-case bearer', (token) => `bearer ${token}`],
    ['no space after Bearer', (token) => `Bearer${token}`],
    ['no Authorization', () => undefined],
    ['Bearer alone', () => 'Bearer'],
    ['two spaces after Bearer', (token) => `Bearer  ${token}`],
    ['another scheme', (token) => `Basic ${Buffer.from(`token:${token}`).toString('base64')}`],
    ['two tokens', (token) => `Bearer ${token}, Bearer ${token}`],
    ['a token with another last character', (token) => `Bearer ${flipped(token)}`],
    ['36 characters that are no token', () => `Bearer ${'A'.repeat(36)}`],
    ['10,000 characters', () => `Bearer ${'A'.repeat(10_000)}`],
  ])('an Authorization header with %s is rejected with 401', async (_, authorization) => {
    expectFailure(await readWith(authorization(app.token)), 'unauthorized');
    expect((await readWith(`Bearer ${app.token}`)).status).toBe(200);
  });

  test.each([
    ['something else', (token: string) => [`Bearer ${token}`, 'junk']],
    ['it after another one', (token: string) => ['junk', `Bearer ${token}`]],
  ])('two Authorization headers, the token and %s, are rejected with 401', async (_, values) => {
    const url = new URL(`${server.publicUrl}/v2/purchase/voided-purchases/${app.packageName}`);
    const both = values(app.token).flatMap((value) => ['authorization', value]);
    const headers = ['host', url.host, ...both, 'content-type', 'application/json'];
    const [response] = await once(request(url, { headers }).end(), 'response');
    response.resume();
    expect(response.statusCode).toBe(401);
  });

  test.each(goodCalls)(
    '$operationId with a token in its query alone is rejected with 401',
    async ({ operation, path }) => {
      const sent = { path, headers: { authorization: undefined }, query: `?access_token=${app.token}` };
      expectFailure(await callPurchase(server, operation, app, sent), 'unauthorized');
    },
  );
});

/** Gives an app the number of another one, so that a token of that one identifies it. */
async function takeNumber(at: TestServer, packageName: string, from: TestServer): Promise<void> {
  const numbers = await query(from.connection, 'select app_number from app where package_name = $1', [
    packageName,
  ]);
  const number = (numbers[0] as { app_number: string }).app_number;
  await query(at.connection, 'update app set app_number = $1 where package_name = $2', [number, packageName]);
}

test.each([
  ['the other environment', 'production'],
  ['another installation of its environment', 'sandbox'],
])('a token is rejected by %s with the same signing keys', async (_, environment) => {
  await using here = await startTestServer();
  const ownApp = await createTestApp(here);
  await using there = await startTestServer({ env: { OPENTILL_ENVIRONMENT: environment } });
  await createTestApp(there);
  // Except for its scope, the token is then valid for the app there.
  await takeNumber(there, ownApp.packageName, here);
  const { token } = await obtainToken(here, ownApp);
  expectFailure(await readWith(`Bearer ${token}`, there, ownApp), 'unauthorized');
  await recordTestPurchase(here, ownApp, { purchaseId: 'P-1' });
  expect((await readWith(`Bearer ${token}`, here, ownApp)).status).toBe(200);
});

test.each([
  [60_000, 200],
  [61_000, 401],
])('a token issued while the database was %i ms ahead gets %i', async (aheadMs, status) => {
  await server.clock.set(testNow + aheadMs);
  const ahead = await createTestApp(server, `com.example.ahead${aheadMs}`);
  await recordTestPurchase(server, ahead, { purchaseId: 'P-1' });
  await server.clock.set(testNow);
  expect((await readWith(`Bearer ${ahead.token}`, server, ahead)).status).toBe(status);
});
