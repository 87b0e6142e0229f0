// OPENTILL_RATE_LIMIT: calls a second for each app.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, startTestServer, type TestServer } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';
import { formOf, postForm } from '../purchase-api/token-call.ts';
import { waitFor } from '../wait-for.ts';

/** A busy machine may spread the calls of a test over some seconds: there are more of them than fit. */
const callsPerSecondMax = 5;
const callsTogether = 100;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ env: { OPENTILL_RATE_LIMIT: String(callsPerSecondMax) } });
});
afterAll(() => server.stop());

test('calls over the limit get 429 with Retry-After, those of another app do not, and later ones pass', async () => {
  const [busy, quiet] = [
    await createTestApp(server, 'com.example.a'),
    await createTestApp(server, 'com.example.b'),
  ];
  const read = (app = busy) =>
    callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'none' } });
  const answers = await Promise.all(Array.from({ length: callsTogether }, () => read()));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.map(({ status }) => status)).toContain(404);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(callsTogether - callsPerSecondMax);
  for (const answer of refused) {
    expectFailure(answer, 'tooManyRequests');
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expectFailure(await read(quiet), 'nothingFound');
  // A token is had all the same: it is no call of an app yet.
  expect((await postForm(server, formOf(busy))).status).toBe(200);
  await waitFor(async () => (await read()).status === 404, { deadlineMs: 5_000, what: 'a call that passes' });
});

test('a call without a good token is told so and not counted', async () => {
  const app = await createTestApp(server, 'com.example.c');
  const headers = { authorization: 'Bearer none' };
  for (let count = 0; count <= 2 * callsPerSecondMax; count += 1) {
    const answer = await callPurchase(server, getPurchaseDetails, app, {
      path: { purchaseId: 'none' },
      headers,
    });
    expectFailure(answer, 'unauthorized');
  }
  expectFailure(
    await callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'none' } }),
    'nothingFound',
  );
});
