// getPurchaseDetails and getPurchaseDetailsByProductId: the exact details of a one-time purchase, and the calls that get 9001.
// Packages and purchases of other apps are tested in attack/isolation.test.ts.

import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getPurchaseDetailsByProductId } from '@opentill/contract/purchase-api/getPurchaseDetailsByProductId.ts';
import { expect, test } from 'vitest';
import {
  createTestApp,
  operatorOf,
  recordTestPurchase,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase, expectFailure } from '../../../../test/support/http/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
const gems = { productId: 'gems', type: 'oneTime', price: 499, currency: 'EUR' } as const;
await operatorOf(server).putProduct({ packageName: app.packageName, ...gems });
await recordTestPurchase(server, app, { purchaseId: 'P-4' });

const read = (purchaseId: string) => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId } });
const readByProduct = (productId: string) =>
  callPurchase(server, getPurchaseDetailsByProductId, app, { path: { purchaseId: 'P-4', productId } });

test('purchase details have four fields in the order of the specification', async () => {
  const sent = { purchaseId: 'P-1', purchaseTime: testNow - 5_000, developerPayload: 'order-1' };
  await recordTestPurchase(server, app, sent);
  const response = await read('P-1');
  expect(response.status).toBe(200);
  expect(response.text).toBe(
    `{"consumptionState":0,"developerPayload":"order-1","purchaseState":0,"purchaseTime":${testNow - 5_000}}`,
  );
  expect(response.headers.get('content-length')).toBe(String(response.text.length));
});

test.each([
  ['200 emoji', '🎮'.repeat(200)],
  ['what JSON has to escape', '"\\/\b\f\n\r\t\u0001\u2028</script>'],
])('a developerPayload of %s is returned as it was recorded', async (_, developerPayload) => {
  const { purchaseId } = await recordTestPurchase(server, app, { developerPayload });
  const response = await read(purchaseId);
  expect(response.text).toBe(
    `{"consumptionState":0,"developerPayload":${JSON.stringify(developerPayload)},"purchaseState":0,"purchaseTime":${testNow}}`,
  );
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(response.text)));
});

test.each([
  ['an unknown purchase', 'P-none'],
  ['a purchaseId of 21 characters', 'i'.repeat(21)],
  ['a purchaseId with an encoded NUL', 'P%00'],
  ['a purchaseId with an encoded letter beyond ASCII', 'P-%C3%A9'],
  ['a purchaseId in another case', 'p-1'],
])('purchase details of %s are rejected with 9001', async (_, purchaseId) => {
  expectFailure(await read(purchaseId), 'notFound');
});

test('details by the purchased product have the same bytes as getPurchaseDetails', async () => {
  const response = await readByProduct('coins');
  expect(response.status).toBe(200);
  expect(response.text).toBe((await read('P-4')).text);
});

test.each([
  ['another product of the app', 'gems'],
  ['an unknown product', 'none'],
  ['the product in another case', 'Coins'],
  ['a productId of 151 characters', 'c'.repeat(151)],
  ['a subscription product', 'monthly'],
])('details by product for %s are rejected with 9001', async (_, productId) => {
  expectFailure(await readByProduct(productId), 'notFound');
});
