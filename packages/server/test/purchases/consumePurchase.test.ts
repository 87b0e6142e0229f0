// consumePurchase: a completed one-time purchase of the caller's app is consumed exactly once.

import { consumePurchase as operation } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { describe, expect, test } from 'vitest';
import {
  createTestApp,
  operate,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);

const consume = (purchaseId: string, options: { packageName?: string; as?: TestApp } = {}) => {
  const { packageName, as = app } = options;
  return callPurchase(server, operation, as, {
    path: { purchaseId, ...(packageName !== undefined && { packageName }) },
  });
};

/** The whole stored record with its history. */
async function recordOf(purchaseId: string, packageName = app.packageName) {
  return (await operate(server, 'GET', `/apps/${packageName}/purchases/${purchaseId}`)).body;
}

describe('consumePurchase: success', () => {
  test('a consume returns consumptionState 1 and the purchaseId, and records its time, actor and request', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    const answer = await consume('P-1');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"consumptionState":1,"purchaseId":"P-1"}');
    const { consumptionState, consumedTime, history } = await recordOf('P-1');
    expect({ consumptionState, consumedTime }).toEqual({ consumptionState: 1, consumedTime: testNow });
    expect(history.slice(1)).toEqual([
      {
        type: 'purchase.consumed',
        time: testNow,
        madeBy: 'app',
        requestId: answer.headers.get('x-request-id'),
      },
    ]);
  });
});

describe('consumePurchase: 9201', () => {
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
});

describe('consumePurchase: 9200', () => {
  test("another app's purchase is rejected with 9200 under either package, and its own app can still consume it", async () => {
    const other = await createTestApp(server, 'com.example.other');
    await recordTestPurchase(server, other, { purchaseId: 'P-other' });
    expectFailure(await consume('P-other'), 'notPurchaseCompleted');
    expectFailure(await consume('P-other', { packageName: other.packageName }), 'notPurchaseCompleted');
    expect((await consume('P-other', { as: other })).status).toBe(200);
  });

  test.each([
    ['an unknown package', 'com.example.none'],
    ['a package of 129 characters', 'p'.repeat(129)],
  ])('a consume under %s is rejected with 9200, and nothing is written', async (_, packageName) => {
    await recordTestPurchase(server, app, { purchaseId: `P-${packageName.length}` });
    expectFailure(await consume(`P-${packageName.length}`, { packageName }), 'notPurchaseCompleted');
    expect((await recordOf(`P-${packageName.length}`)).consumptionState).toBe(0);
  });
});
