// The Content-Type, which every purchase call needs, and bodies, which are drained up to a limit.

import { describe, expect, test } from 'vitest';
import {
  callPurchaseApi,
  createTestApp,
  recordTestPurchase,
  useTestServer,
} from '../../../../test/support/harness.ts';
import {
  callPurchase,
  expectFailure,
  type PurchaseCall,
} from '../../../../test/support/http/purchase-call.ts';
import { type GoodCall, goodCalls, recordGoodPurchases } from './purchase-operations.ts';

const bodyBytesMax = 64 * 1024;

const server = await useTestServer();
const app = await createTestApp(server);
await recordGoodPurchases(server, app);

/** Each consume gets a new purchase. */
async function callGood({ operation, path }: GoodCall, rest: PurchaseCall, at = server, as = app) {
  const isConsume = operation.operationId === 'consumePurchase';
  const fresh = isConsume ? { purchaseId: (await recordTestPurchase(at, as)).purchaseId } : {};
  const response = await callPurchase(at, operation, as, { path: { ...path, ...fresh }, ...rest });
  return { response, purchaseId: fresh.purchaseId };
}

describe.each(goodCalls)('$operationId', (call) => {
  test.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json ; odata=verbose'])(
    '$operationId accepts Content-Type: %s',
    async (contentType) => {
      const { response } = await callGood(call, { headers: { 'content-type': contentType } });
      expect(response.status).toBe(200);
    },
  );

  test.each([undefined, 'text/plain', 'application/jsonp', 'text/application/json'])(
    '$operationId rejects Content-Type %s with 9000',
    async (contentType) => {
      const { response } = await callGood(call, { headers: { 'content-type': contentType } });
      expectFailure(response, 'invalidRequest', 'Content-Type');
    },
  );

  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])(
    '$operationId rejects a body of one byte over 64 KiB %s with 413 and closes the connection',
    async (_, isChunked) => {
      const body = 'x'.repeat(bodyBytesMax + 1);
      const { response, purchaseId } = await callGood(call, { body, isChunked });
      expectFailure(response, 'payloadTooLarge');
      expect(response.headers.get('connection')).toBe('close');
      if (purchaseId === undefined) return;
      const path = `/details/${purchaseId}/${app.packageName}`;
      const read = await callPurchaseApi(server, { token: app.token, path });
      expect(read.body.consumptionState).toBe(0);
    },
  );
});

const lenient = await useTestServer({ env: { OPENTILL_REQUIRE_CONTENT_TYPE: 'false' } });
const lenientApp = await createTestApp(lenient);
await recordGoodPurchases(lenient, lenientApp);

test.each(goodCalls)(
  '$operationId accepts any or no Content-Type with OPENTILL_REQUIRE_CONTENT_TYPE=false',
  async (call) => {
    for (const headers of [{ 'content-type': undefined }, { 'content-type': 'text/plain' }]) {
      const { response } = await callGood(call, { headers, body: 'not json' }, lenient, lenientApp);
      expect(response.status).toBe(200);
    }
  },
);
