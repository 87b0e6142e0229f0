// What a server still does while it knows that its clock is wrong.

import { cancelSubscription } from '@opentill/contract/operator-api/cancelSubscription.ts';
import { cancelSubscriptions } from '@opentill/contract/operator-api/cancelSubscriptions.ts';
import { recordPurchase } from '@opentill/contract/operator-api/recordPurchase.ts';
import { settleAttempt } from '@opentill/contract/operator-api/settleAttempt.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { expect, test } from 'vitest';
import {
  call,
  callPurchaseApi,
  createTestApp,
  operatorOf,
  recordTestPurchase,
  requestToken,
  startTestServer,
  testNow,
} from '../harness.ts';
import { callOperator } from '../operator-api/checked-call.ts';
import { TestClock } from '../test-clock.ts';

test('a server that knows that its clock is wrong dates no change of money by it, is not ready, and does everything else', async () => {
  const clock = new TestClock(testNow);
  await using server = await startTestServer({ clock, databaseClock: new TestClock(testNow) });
  const app = await createTestApp(server);
  const { packageName, token } = app;
  for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, app, { purchaseId });
  for (const purchaseId of ['S-1', 'S-2'])
    await recordTestPurchase(server, app, { purchaseId, productId: 'monthly' });
  const onPurchase = (path: string, method = 'POST') => callPurchaseApi(server, { token, path, method });
  expect((await onPurchase(`/manage-payment-status/S-2/${packageName}/cancel`)).body).toMatchObject({
    responseCode: 0,
  });
  const before = await operatorOf(server).listEvents({ packageName });
  const readiness = async () => (await call(`${server.operatorUrl}/health/ready`)).status;
  expect(await readiness()).toBe(200);

  clock.set(testNow + 61_000);
  expect(await readiness()).toBe(503);
  const purchase = { path: { packageName, purchaseId: 'P-1' } };
  const subscription = { path: { packageName, firstPurchaseId: 'S-1' } };
  const refused = [
    await callOperator(server, voidPurchase, purchase),
    await callOperator(server, cancelSubscription, subscription),
    await callOperator(server, cancelSubscriptions, {
      path: { packageName },
    }),
    await callOperator(server, recordPurchase, { path: { packageName }, body: { productId: 'coins' } }),
    await callOperator(server, settleAttempt, {
      path: { ...subscription.path, periodIndex: '1', attempt: '1' },
      body: { outcome: 'paid', note: 'seen at the provider' },
    }),
  ];
  expect(refused.map(({ status, body }) => [status, body.detail])).toEqual(
    refused.map(() => [503, 'The clock of this server is wrong. Try again later, or on another server.']),
  );
  const cancel = await onPurchase(`/manage-payment-status/S-1/${packageName}/cancel`);
  expect([cancel.status, cancel.body.error.code, cancel.headers.get('retry-after')]).toEqual([
    503,
    9999,
    '1',
  ]);
  expect(await operatorOf(server).listEvents({ packageName })).toEqual(before);

  expect((await onPurchase(`/details/P-1/${packageName}`, 'GET')).status).toBe(200);
  expect((await requestToken(server, app)).status).toBe(200);
  expect((await onPurchase(`/consume/P-1/${packageName}`)).status).toBe(200);
  expect((await onPurchase(`/manage-payment-status/S-2/${packageName}/reactivate`)).body).toMatchObject({
    responseCode: 0,
  });

  clock.set(testNow);
  expect(await readiness()).toBe(200);
  expect(
    (await callOperator(server, voidPurchase, { path: { packageName, purchaseId: 'P-2' } })).status,
  ).toBe(200);
});
