// getPurchaseDetailsByProductId: details are returned only for the product of the purchase.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId as operation } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { describe, expect, test } from 'vitest';
import { createTestApp, operate, recordTestPurchase, testNow, useTestServer } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await putProduct('gems');
await recordTestPurchase(server, app, { purchaseId: 'P-1', developerPayload: 'order-1' });

async function putProduct(productId: string): Promise<void> {
  const body = { type: 'one_time', price: 499, currency: 'EUR' };
  const put = await operate(server, 'PUT', `/apps/${app.packageName}/products/${productId}`, { body });
  expect(put.status).toBe(201);
}

const read = (path: { purchaseId: string; productId: string; packageName?: string }) =>
  callPurchase(server, operation, app, { path });

describe('getPurchaseDetailsByProductId: success', () => {
  test('details by the purchased product have the same bytes as getPurchaseDetails', async () => {
    const answer = await read({ purchaseId: 'P-1', productId: 'coins' });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      `{"consumptionState":0,"developerPayload":"order-1","purchaseState":0,"purchaseTime":${testNow}}`,
    );
    const plain = await callPurchase(server, getPurchaseDetails, app, { path: { purchaseId: 'P-1' } });
    expect(answer.text).toBe(plain.text);
  });
});

describe('getPurchaseDetailsByProductId: 9001', () => {
  test.each([
    ['another product of the app', 'gems'],
    ['an unknown product', 'none'],
    ['the product in another case', 'Coins'],
    ['a productId of 151 characters', 'c'.repeat(151)],
    ['a productId with an encoded slash', 'coins%2F'],
    ['a productId with an encoded NUL', 'coins%00'],
    ['a subscription product', 'monthly'],
  ])('details by product for %s are rejected with 9001', async (_, productId) => {
    expectFailure(await read({ purchaseId: 'P-1', productId }), 'notFound');
  });
});
