// Every operation uses the clock of its app, except for tokens, secrets and changes to the app itself. Real time is testNow;
// the time of the app is a year and a day later.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { rotateClientSecret } from '@opentill/contract/operator-api/rotateClientSecret.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  changeAutoPayment,
  tryConsume,
  voidTestPurchase,
} from '../../../../test/support/calls/purchase-changes.ts';
import {
  newTestApp,
  operatorOf,
  recordTestPurchase,
  requestToken,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { listPage, listVoided } from '../purchases/voided-purchases.ts';
import { advance, freeze } from './clock-calls.ts';

const appTime = Date.UTC(2027, 2, 16, 12);

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await freeze(server, app);
  await advance(server, app, { by: 'P1Y1D' });
});

describe("on the app's time", () => {
  test("a purchase recorded without a time gets the app's time, from the app and from the operator", async () => {
    const body = { productId: 'coins' };
    const own = await callDeveloper(server, developerApi.recordPurchase, { key: app.token, body });
    const { purchaseTime } = await recordTestPurchase(server, app);
    expect([own.body.purchaseTime, purchaseTime]).toEqual([appTime, appTime]);
  });

  test("a consume, a void and their events have the app's time", async () => {
    const { purchaseId } = await recordTestPurchase(server, app);
    expect((await tryConsume(server, app, purchaseId)).status).toBe(200);
    const voided = await voidTestPurchase(server, app, purchaseId);
    expect(voided).toMatchObject({ consumedTime: appTime, voidedTime: appTime });
    const { voidedPurchaseList } = await listPage(server, app);
    expect(voidedPurchaseList).toEqual([{ purchaseId, purchaseTime: appTime, voidedTime: appTime }]);
    const { events } = await operatorOf(server).listEvents({ packageName: app.packageName });
    expect(events.map(({ eventTime }) => eventTime)).toEqual([appTime, appTime, appTime]);
  });

  test("a cancel and the deadline for a reactivation have the app's time", async () => {
    const subscription = { productId: 'monthly', purchaseId: 'S-1' };
    const { startTime, expiryTime } = await recordTestPurchase(server, app, subscription);
    const manage = async (action: 'cancel' | 'reactivate') =>
      (await changeAutoPayment(server, app, { purchaseId: 'S-1', action })).body.responseCode;
    expect(await manage('cancel')).toBe(0);
    const path = { packageName: app.packageName, firstPurchaseId: 'S-1' };
    expect([startTime, (await operatorOf(server).getSubscription(path)).cancelledTime]).toEqual([
      appTime,
      appTime,
    ]);
    await advance(server, app, { to: expiryTime - 1 });
    expect(await manage('reactivate')).toBe(0);
    expect(await manage('cancel')).toBe(0);
    await advance(server, app, { by: 'PT0.001S' });
    expect(await manage('reactivate')).toBe(1);
  });
});

describe('on real time', () => {
  test('tokens live in real time, so moving the clock locks no client out', async () => {
    await advance(server, app, { by: 'P9Y' });
    const read = async () => (await listVoided(server, app)).status;
    const issued = await requestToken(server, app);
    expect(issued.body).toMatchObject({ access_token: app.token, expires_in: 3_600 });
    await server.clock.advance(3_599_999);
    expect(await read()).toBe(200);
    await server.clock.advance(1);
    expect(await read()).toBe(401);
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
