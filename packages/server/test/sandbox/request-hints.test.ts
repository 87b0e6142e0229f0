// The hints of the request log, each triggered by one call, and none for valid calls.

import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { beforeEach, expect, test } from 'vitest';
import { newTestApp, recordTestPurchase, type TestApp, testNow, useTestServer } from '../harness.ts';
import { callPurchase, type PurchaseCall } from '../purchase-api/purchase-call.ts';
import { sendRequest } from '../purchase-api/sent-request.ts';
import { formContentType, formOf } from '../tokens/token-call.ts';
import { loggedRequests } from './sandbox-stage.ts';

let app: TestApp;

const server = await useTestServer({ env: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });

beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
});

const details = (call: PurchaseCall = {}) =>
  callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' }, ...call });
const voided = (query = '') => callPurchase(server, getVoidedPurchases, app, { query });

const grant = 'grant_type=client_credentials';

interface TokenCall {
  readonly authorization?: string;
  /** Absent: neither a body nor a Content-Type. */
  readonly form?: string | undefined;
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

test.each([
  ['a form', grant],
  ['nothing', undefined],
])(
  'credentials in the URL or in a Basic header have a hint if the body is %s, and no secret is stored',
  async (_body, form) => {
    for (const clientSecret of ['s3', 'a&client_id=s3+&startTime=s3', app.clientSecret]) {
      const query = `?${new URLSearchParams(formOf({ ...app, clientSecret }))}`;
      const basic = Buffer.from(`${app.clientId}:${clientSecret}`).toString('base64');
      expect((await postToken(query, { form })).status).toBe(400);
      expect((await postToken('', { form, authorization: `Basic ${basic}` })).status).toBe(400);
      const [inHeader, inQuery] = await loggedRequests(server, app, 2);
      expect(inHeader).toMatchObject({ hints: [{ hint: 'credentialsInHeader' }], path: '/v2/oauth/token' });
      expect(inQuery).toMatchObject({
        hints: [{ hint: 'credentialsInQuery' }],
        path: '/v2/oauth/token?client_id=***&client_secret=***',
      });
      expect(JSON.stringify([inHeader, inQuery])).not.toContain(clientSecret);
    }
  },
);
