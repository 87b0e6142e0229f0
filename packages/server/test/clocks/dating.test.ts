// Money is dated by the database, whatever the clock of a server says.

import { getRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getRecurringPurchaseDetails.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  changeAutoPayment,
  tryConsume,
  voidTestPurchase,
} from '../../../../test/support/calls/purchase-changes.ts';
import {
  freshDatabase,
  newTestApp,
  operate,
  operatorOf,
  recordTestPurchase,
  requestToken,
  startTestServer,
  type TestApp,
  testNow,
  useForFile,
} from '../../../../test/support/harness.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import {
  eventsOf,
  passTo,
  stageStart,
  startRenewalStage,
  subscribe,
} from '../../../../test/support/renewals/renewal-stage.ts';
import { setClockMark } from '../../../../test/support/stage.ts';
import { countAll } from '../../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../../test/support/store/open-database.ts';
import { setDatabaseTime, TestClock } from '../../../../test/support/test-clock.ts';
import { exported, imported } from '../../../../test/support/transfer/transfer.ts';
import { listIds, listVoided } from '../purchases/voided-purchases.ts';
import { withFreshToken } from '../subscriptions/staged-subscription.ts';

const dayMs = 86_400_000;
const stepMs = 40 * dayMs;

const database = await useForFile(freshDatabase());
const databaseClock = new TestClock(testNow);
await databaseClock.drive(database);
const own = new TestClock(testNow);
const server = await useForFile(startTestServer({ database, clock: own }));
let app: TestApp;

beforeEach(async () => {
  await own.set(testNow);
  await databaseClock.set(testNow);
  app = await newTestApp(server);
});

describe.each([
  ['40 days behind', -stepMs],
  ['40 days ahead', stepMs],
  ['50 seconds behind', -50_000],
  ['50 seconds ahead', 50_000],
])('on a server whose clock has just stepped %s', (_, ms) => {
  test('a recording, a consumption and a void are dated now', async () => {
    await own.set(testNow + ms);
    const recorded = await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    expect((await tryConsume(server, app, 'P-1')).status).toBe(200);
    const voided = await voidTestPurchase(server, app, 'P-1');
    const dates = [recorded.purchaseTime, voided.consumedTime, voided.voidedTime];
    expect(dates).toEqual([testNow, testNow, testNow]);
    const { events } = await operatorOf(server).listEvents({ packageName: app.packageName });
    expect(events.map(({ eventTime }) => eventTime)).toEqual([testNow, testNow, testNow]);
  });

  test('a window up to now lists the void', async () => {
    await recordTestPurchase(server, app, { purchaseId: 'P-1' });
    await own.set(testNow + ms);
    await voidTestPurchase(server, app, 'P-1');
    expect(await listIds(server, app, { startTime: testNow - 1_000, endTime: testNow })).toEqual(['P-1']);
    expect(await listIds(server, app)).toEqual(['P-1']);
  });

  test('a subscription starts now, and a cancel ends nothing and can be reverted', async () => {
    await own.set(testNow + ms);
    const subscription = { purchaseId: 'S-1', productId: 'monthly' };
    const { startTime, expiryTime } = await recordTestPurchase(server, app, subscription);
    expect(startTime).toBe(testNow);
    const cancel = { packageName: app.packageName, firstPurchaseId: 'S-1' };
    const cancelled = await operatorOf(server).cancelSubscription(cancel);
    expect(cancelled).toMatchObject({ state: 'autoPaymentOff', cancelledTime: testNow, expiryTime });
    const { body } = await changeAutoPayment(server, app, { purchaseId: 'S-1', action: 'reactivate' });
    expect(body.responseCode).toBe(0);
  });

  test('a token is issued and accepted', async () => {
    await operatorOf(server).expelTokens({ packageName: app.packageName });
    await own.set(testNow + ms);
    const { body } = await requestToken(server, app);
    expect(body.expires_in).toBe(3600);
    expect(await listIds(server, { ...app, token: body.access_token })).toEqual([]);
  });
});

test('a purchase dated 50 seconds ahead is voided now, moves no other void ahead, and can be moved to another store', async () => {
  const { packageName } = app;
  const purchaseTime = testNow + 50_000;
  await recordTestPurchase(server, app, { purchaseId: 'P-1', purchaseTime });
  await recordTestPurchase(server, app, { purchaseId: 'S-1', productId: 'monthly', purchaseTime });
  await recordTestPurchase(server, app, { purchaseId: 'P-2' });
  for (const purchaseId of ['P-1', 'S-1', 'P-2'])
    expect((await voidTestPurchase(server, app, purchaseId)).voidedTime).toBe(testNow);
  const window = { startTime: testNow, endTime: testNow };
  expect(await listIds(server, app, window)).toEqual(['P-1', 'S-1', 'P-2']);
  const details = await callPurchase(server, getRecurringPurchaseDetails, app, {
    path: { purchaseId: 'S-1' },
  });
  expect(details.body).toMatchObject({ purchaseState: 1, autoRenewing: false, cancelledTime: testNow });
  expect(details.body).toMatchObject({ startTime: purchaseTime, expiryTime: testNow });
  const { events } = await operatorOf(server).listEvents({ packageName });
  const ends = events.filter(({ type }) => type.endsWith('.voided') || type.endsWith('.terminated'));
  expect(ends.map(({ eventTime }) => eventTime)).toEqual([testNow, testNow, testNow, testNow]);
  await using counting = await openDatabase(database.connection, 1);
  await countAll(counting);
  const days = { packageName, from: '2026-03-15', to: '2026-03-15' };
  const { rows } = await operatorOf(server).getStatistics(days);
  expect(rows).toMatchObject([{ sold: 3, voided: 3, started: 1, active: 0 }]);

  await using elsewhere = await freshDatabase();
  await setDatabaseTime(elsewhere.connection, testNow);
  await imported(elsewhere.connection, await exported(database.connection, [packageName]));
  await using moved = await startTestServer({ database: elsewhere, tokenKeys: server.tokenKeys });
  const { token } = await withFreshToken(moved, app);
  expect(await listIds(moved, { ...app, token }, window)).toEqual(['P-1', 'S-1', 'P-2']);
});

describe('a store whose database is 40 days behind its mark', () => {
  const mark = stageStart + stepMs;

  test('dates all voids with the mark, in their order, and renews nothing, until the mark is reached', async () => {
    await using stage = await startRenewalStage();
    await subscribe(stage, 'S-1');
    await setClockMark(stage.server, mark);
    await using behind = await startTestServer({
      database: stage.server,
      clock: stage.clock,
      comparesClocks: true,
      env: { OPENTILL_ENVIRONMENT: 'production' },
    });
    const voids: number[] = [];
    for (const orderId of ['A', 'B', 'C']) {
      const { purchaseId } = await recordTestPurchase(behind, stage.app, { orderId });
      voids.push((await voidTestPurchase(behind, stage.app, purchaseId)).voidedTime);
    }
    expect(voids).toEqual([mark, mark, mark]);
    const listed = await listVoided(behind, stage.app, { startTime: mark, endTime: mark });
    expect(listed.body.voidedPurchaseList).toHaveLength(3);
    expect((await operate(behind, 'GET', '/renewals')).body).toMatchObject({ hold: { reason: 'behind' } });

    await stage.clock.set(mark + 1);
    const { purchaseId } = await recordTestPurchase(behind, stage.app, { orderId: 'D' });
    expect((await voidTestPurchase(behind, stage.app, purchaseId)).voidedTime).toBe(mark + 1);
    expect((await operate(behind, 'GET', '/renewals')).body.hold).toBeUndefined();
    await passTo(stage, mark + 2);
    expect((await eventsOf(stage, 'S-1')).slice(0, 2)).toEqual(['started', 'renewed']);
  });
});

test('after a minute in which the database was 40 days ahead, the next void is dated now and listed', async () => {
  for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, app, { purchaseId });
  await databaseClock.set(testNow + stepMs);
  expect((await voidTestPurchase(server, app, 'P-1')).voidedTime).toBe(testNow + stepMs);
  await databaseClock.set(testNow + 60_000);
  expect((await voidTestPurchase(server, app, 'P-2')).voidedTime).toBe(testNow + 60_000);
  expect(await listIds(server, app)).toEqual(['P-2']);
});
