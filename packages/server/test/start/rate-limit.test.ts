// OPENTILL_RATE_LIMIT: the calls per second of each app.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { expect, test } from 'vitest';
import { call, createTestApp, type TestApp, useTestServer } from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';
import { formOf, postForm } from '../tokens/token-call.ts';

const callsPerSecondMax = 5;

const server = await useTestServer({ env: { OPENTILL_RATE_LIMIT: String(callsPerSecondMax) } });

const read = (app: TestApp, headers: Record<string, string> = {}) =>
  callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'none' }, headers });

test('an app over its limit is limited until its second is over, and no other app is', async () => {
  const [busy, quiet] = [
    await createTestApp(server, 'com.example.a'),
    await createTestApp(server, 'com.example.b'),
  ];
  for (let count = 1; count <= callsPerSecondMax; count += 1) {
    expectFailure(await read(busy), 'notFound');
    await server.clock.advance(1);
  }
  const refused = await read(busy);
  expectFailure(refused, 'tooManyRequests');
  expect(refused.headers.get('retry-after')).toBe('1');
  expectFailure(await read(quiet), 'notFound');
  // Token requests are not limited.
  expect((await postForm(server, formOf(busy))).status).toBe(200);
  await server.clock.advance(1_000 - callsPerSecondMax - 1);
  expectFailure(await read(busy), 'tooManyRequests');
  await server.clock.advance(1);
  expectFailure(await read(busy), 'notFound');
});

test('a call without a valid token gets 401 and is not counted', async () => {
  const app = await createTestApp(server, 'com.example.c');
  for (let count = 0; count <= 2 * callsPerSecondMax; count += 1) {
    expectFailure(await read(app, { authorization: 'Bearer none' }), 'unauthorized');
  }
  expectFailure(await read(app), 'notFound');
});

test('calls of the purchase API and of the developer API count together', async () => {
  const app = await createTestApp(server, 'com.example.both');
  const list = () =>
    call(`${server.publicUrl}/developer/v1/purchases`, { headers: { authorization: `Bearer ${app.token}` } });
  for (let count = 1; count < callsPerSecondMax; count += 1) expectFailure(await read(app), 'notFound');
  expect((await list()).status).toBe(200);
  const refused = await list();
  expect(refused).toMatchObject({ status: 429, body: { type: '/docs/problems#too-many-requests' } });
  expectFailure(await read(app), 'tooManyRequests');
});
