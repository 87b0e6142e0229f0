// Every operation uses the clock of its app, except for tokens, secrets and changes to the app itself. Real time is testNow;
// the time of the app is a year and a day later.

import { getPurchase } from '@opentill/contract/operator-api/getPurchase.ts';
import { rotateClientSecret } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { voidPurchase } from '@opentill/contract/operator-api/voidPurchase.ts';
import { consumePurchase } from '@opentill/contract/purchase-api/consumePurchase.ts';
import { getPurchaseDetails } from '@opentill/contract/purchase-api/getPurchaseDetails.ts';
import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { getVoidedPurchases } from '@opentill/contract/purchase-api/getVoidedPurchases.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { sandboxApi } from '@opentill/contract/sandbox-api.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  newTestApp,
  recordTestPurchase,
  requestToken,
  type TestApp,
  testNow,
  useTestServer,
} from '../harness.ts';
import { callOperator, callSandbox } from '../operator-api/checked-call.ts';
import { callPurchase } from '../purchase-api/purchase-call.ts';
import { advance, eventsOf, freeze } from './clock-calls.ts';

const { recordPurchase } = sandboxApi;

const appTime = Date.UTC(2027, 2, 16, 12);

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await freeze(server, app);
  await advance(server, app, { by: 'P1Y1D' });
});

async function lastEventTime(): Promise<number | undefined> {
  return (await eventsOf(server.connection, app.packageName)).at(-1)?.time;
}

describe("on the app's time", () => {
  test("a purchase recorded without a time gets the app's time, from the app and from the operator", async () => {
    const body = { productId: 'coins' };
    const own = await callSandbox(server, recordPurchase, { key: app.token, body });
    const { purchaseTime } = await recordTestPurchase(server, app);
    expect([own.body.purchaseTime, purchaseTime, await lastEventTime()]).toEqual([appTime, appTime, appTime]);
    const path = { purchaseId: own.body.purchaseId };
    const details = await callPurchase(server, getPurchaseDetails, app, { path });
    expect(details.body.purchaseTime).toBe(appTime);
  });

  test("a consume has the app's time", async () => {
    const { purchaseId } = await recordTestPurchase(server, app);
    expect((await callPurchase(server, consumePurchase, app, { path: { purchaseId } })).status).toBe(200);
    const path = { packageName: app.packageName, purchaseId };
    const { body } = await callOperator(server, getPurchase, { path });
    expect(body.consumedTime).toBe(appTime);
    expect(body.history.map((entry: { time: number }) => entry.time)).toEqual([appTime, appTime]);
  });

  test("a void has the app's time", async () => {
    const { purchaseId } = await recordTestPurchase(server, app);
    const path = { packageName: app.packageName, purchaseId };
    expect((await callOperator(server, voidPurchase, { path })).body.voidedTime).toBe(appTime);
    const list = await callPurchase(server, getVoidedPurchases, app);
    expect(list.body.voidedPurchaseList).toEqual([
      { purchaseId, purchaseTime: appTime, voidedTime: appTime },
    ]);
  });

  test("a cancel and the deadline for a reactivation have the app's time", async () => {
    const { purchaseId } = await recordTestPurchase(server, app, { productId: 'monthly' });
    const manage = (action: 'cancel' | 'reactivate') =>
      callPurchase(server, manageRecurringPaymentStatus, app, { path: { purchaseId, action } });
    expect((await manage('cancel')).body.responseCode).toBe(0);
    const { body } = await callPurchase(server, getRecurringPurchaseDetails, app, { path: { purchaseId } });
    expect(body).toMatchObject({ startTime: appTime, cancelledTime: appTime, autoRenewing: false });
    await advance(server, app, { to: body.expiryTime - 1 });
    expect((await manage('reactivate')).body.responseCode).toBe(0);
    expect((await manage('cancel')).body.responseCode).toBe(0);
    await advance(server, app, { by: 'PT0.001S' });
    expect((await manage('reactivate')).body.responseCode).toBe(1);
  });
});

describe('on real time', () => {
  test('tokens live in real time, so moving the clock locks no client out', async () => {
    await advance(server, app, { by: 'P9Y' });
    const { purchaseId } = await recordTestPurchase(server, app);
    const read = () => callPurchase(server, getPurchaseDetails, app, { path: { purchaseId } });
    const issued = await requestToken(server, app);
    expect(issued.body).toMatchObject({ access_token: app.token, expires_in: 3_600 });
    await server.clock.advance(3_599_999);
    expect((await read()).status).toBe(200);
    await server.clock.advance(1);
    expect((await read()).status).toBe(401);
  });

  test('the previous client secret ends in real time', async () => {
    const path = { packageName: app.packageName };
    await callOperator(server, rotateClientSecret, { path, body: { keepPreviousForSeconds: 60 } });
    await advance(server, app, { by: 'P1Y' });
    await server.clock.advance(59_000);
    expect((await requestToken(server, app)).status).toBe(200);
    await server.clock.advance(2_000);
    expect((await requestToken(server, app)).status).toBe(400);
  });
});
