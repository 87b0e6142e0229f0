// consumePurchase: a completed one-time purchase of the caller's app is consumed exactly once.

import { consumePurchase as operation } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

const consume = (purchaseId: string, packageName = app.packageName) =>
  callPurchase(server, operation, app, { path: { purchaseId, packageName } });

/** The whole stored record with its history. */
async function recordOf(purchaseId: string) {
  return (await operate(server, 'GET', `/apps/${app.packageName}/purchases/${purchaseId}`)).body;
}

test('a consume returns consumptionState 1 and the purchaseId, and records its time, actor and request', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  const response = await consume('P-1');
  expect(response.status).toBe(200);
  expect(response.text).toBe('{"consumptionState":1,"purchaseId":"P-1"}');
  const { consumptionState, consumedTime, history } = await recordOf('P-1');
  expect({ consumptionState, consumedTime }).toEqual({ consumptionState: 1, consumedTime: testNow });
  const requestId = response.headers.get('x-request-id');
  const consumed = { type: 'purchase.consumed', eventTime: testNow, madeBy: 'app', requestId };
  expect(history.slice(1)).toMatchObject([consumed]);
});

test('a consumed purchase is rejected with 9201 every time, and nothing is written', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  await consume('P-2');
  const before = await recordOf('P-2');
  await server.clock.advance(1_000);
  for (let round = 0; round < 3; round += 1) {
    expectFailure(await consume('P-2'), 'consumptionUnchangeable');
  }
  expect(await recordOf('P-2')).toEqual(before);
});

test('a consume under an unknown package is rejected with 9200, and nothing is written', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-3' });
  expectFailure(await consume('P-3', 'com.example.none'), 'notPurchaseCompleted');
  expect((await recordOf('P-3')).consumptionState).toBe(0);
});
