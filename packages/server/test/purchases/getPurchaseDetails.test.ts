// getPurchaseDetails: the exact details of a one-time purchase, and the calls that get 9001.

import { getPurchaseDetails as operation } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { describe, expect, test } from 'vitest';
import { createTestApp, recordTestPurchase, type TestApp, testNow, useTestServer } from '../harness.ts';
import { callPurchase, expectFailure } from '../purchase-api/purchase-call.ts';

const server = await useTestServer();
const app = await createTestApp(server);
await recordTestPurchase(server, app, { purchaseId: 'P-4' });

const read = (purchaseId: string, options: { packageName?: string; as?: TestApp } = {}) => {
  const { packageName, as = app } = options;
  return callPurchase(server, operation, as, {
    path: { purchaseId, ...(packageName !== undefined && { packageName }) },
  });
};

describe('getPurchaseDetails: success', () => {
  test('purchase details have four fields in the order of the specification', async () => {
    const sent = { purchaseId: 'P-1', purchaseTime: testNow - 5_000, developerPayload: 'order-1' };
    await recordTestPurchase(server, app, sent);
    const answer = await read('P-1');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      `{"consumptionState":0,"developerPayload":"order-1","purchaseState":0,"purchaseTime":${testNow - 5_000}}`,
    );
    expect(answer.headers.get('content-length')).toBe(String(answer.text.length));
  });

  test.each([
    ['200 emoji', '🎮'.repeat(200)],
    ['what JSON has to escape', '"\\/\b\f\n\r\t\u0001\u2028</script>'],
    ['text of several scripts', 'Zażółć 注文 طلب e\u0301'],
  ])('a developerPayload of %s is returned as it was recorded', async (_, developerPayload) => {
    const { purchaseId } = await recordTestPurchase(server, app, { developerPayload });
    const answer = await read(purchaseId);
    expect(answer.text).toBe(
      `{"consumptionState":0,"developerPayload":${JSON.stringify(developerPayload)},"purchaseState":0,"purchaseTime":${testNow}}`,
    );
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
  });
});

describe('getPurchaseDetails: 9001', () => {
  test.each([
    ['an unknown purchase', 'P-none'],
    ['a purchaseId of 21 characters', 'i'.repeat(21)],
    ['a purchaseId of 10,000 characters', 'i'.repeat(10_000)],
    ['a purchaseId with an encoded slash', 'P%2F1'],
    ['a purchaseId with an encoded NUL', 'P%00'],
    ['a purchaseId with an encoded letter beyond ASCII', 'P-%C3%A9'],
    ['a purchaseId in another case', 'p-1'],
    ['a purchaseId with an encoded space around it', '%20P-1'],
    ['SQL', "P-1'%20or%201=1--"],
  ])('purchase details of %s are rejected with 9001', async (_, purchaseId) => {
    expectFailure(await read(purchaseId), 'notFound');
  });

  test("another app's purchase is rejected with 9001 under either package", async () => {
    const other = await createTestApp(server, 'com.example.other');
    await recordTestPurchase(server, other, { purchaseId: 'P-other' });
    expectFailure(await read('P-other'), 'notFound');
    expectFailure(await read('P-other', { packageName: other.packageName }), 'notFound');
    expect((await read('P-other', { as: other })).status).toBe(200);
  });

  test.each([
    ['an unknown package', 'com.example.none'],
    ['a package of 129 characters', 'p'.repeat(129)],
    ['the package in another case', 'com.example.Game'],
    ['a package that no app could have', '%00'],
  ])('purchase details under %s are rejected with 9001', async (_, packageName) => {
    expectFailure(await read('P-4', { packageName }), 'notFound');
  });
});
