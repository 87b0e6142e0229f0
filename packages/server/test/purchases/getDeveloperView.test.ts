// getDeveloperView: what the purchase API returns for a purchase, to the byte.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { getDeveloperView } from '@opentill/contract/operator-api/getDeveloperView.ts';
import { beforeEach, expect, test } from 'vitest';
import { tryConsume, voidTestPurchase } from '../../../../test/support/calls/purchase-changes.ts';
import {
  call,
  callPurchaseApi,
  newTestApp,
  operatorOf,
  recordTestPurchase,
  supportKey,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';

const server = await useTestServer();
let app: TestApp;

beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
});

interface ShownCall {
  readonly operationId: string;
  readonly path: string;
  readonly httpStatus: number;
  readonly body: object;
}

async function viewOf({ packageName }: TestApp, purchaseId: string): Promise<ShownCall[]> {
  const path = { packageName, purchaseId };
  const { status, body } = await callOperator(server, getDeveloperView, { path, key: supportKey });
  expect(status).toBe(200);
  return body.calls;
}

/** Makes each call of a view with the app's token, and expects the same response. */
async function expectSame({ token }: TestApp, calls: readonly ShownCall[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const { path, httpStatus, body } of calls) {
    const response = await call(server.publicUrl + path, { headers });
    expect([response.status, response.text]).toEqual([httpStatus, JSON.stringify(body)]);
  }
}

const statusesOf = (calls: readonly ShownCall[]) =>
  Object.fromEntries(calls.map(({ operationId, httpStatus }) => [operationId, httpStatus]));

test('the view of a one-time purchase has each response of the purchase API, in every state', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-1', developerPayload: '“<&>” \u202e' });
  const states = [
    async () => undefined,
    () => tryConsume(server, app, 'P-1'),
    () => voidTestPurchase(server, app, 'P-1'),
  ];
  for (const reach of states) {
    await reach();
    const calls = await viewOf(app, 'P-1');
    expect(statusesOf(calls)).toEqual({
      getPurchaseDetails: 200,
      getPurchaseDetailsByProductId: 200,
    });
    await expectSame(app, calls);
  }
});

test('the view of a period has the reads of a subscription, also for a later period', async () => {
  const { packageName } = app;
  const operator = operatorOf(server);
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  await operator.putClock({ packageName, mode: 'frozen' });
  await operator.advanceClock({ packageName, by: 'P1M' });
  const { periods } = await operator.getSubscription({ packageName, firstPurchaseId: 'S-1' });
  expect(periods).toHaveLength(2);
  for (const { purchaseId } of periods) {
    const calls = await viewOf(app, purchaseId);
    expect(statusesOf(calls)).toEqual({
      getRecurringPurchaseDetails: 200,
      getLastRecurringPurchaseDetails: 200,
    });
    await expectSame(app, calls);
  }
});

test('a view is subject to no fault and leaves no trace in the request log', async () => {
  await recordTestPurchase(server, app, { purchaseId: 'P-1' });
  const faults = [{ operation: 'getPurchaseDetails', httpStatus: 500 }];
  await callDeveloper(server, developerApi.putFaults, { key: app.token, body: faults });
  expect(statusesOf(await viewOf(app, 'P-1'))['getPurchaseDetails']).toBe(200);
  const { body } = await callDeveloper(server, developerApi.getFaults, { key: app.token });
  expect(body.faults[0].applied).toBe(0);
  // Calls are logged in order.
  await callPurchaseApi(server, { token: app.token, path: `/voided-purchases/${app.packageName}` });
  const logged = async () => {
    const { body: log } = await callDeveloper(server, developerApi.listRequests, { key: app.token });
    return log.requests.map(({ operationId }: { operationId: string }) => operationId);
  };
  await expect.poll(logged).toEqual(['getVoidedPurchases', 'getAccessToken']);
});
