// The clock of an app over HTTP: reading, setting and advancing it, its next stops, and rejected calls.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  newTestApp,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper } from '../../../../test/support/http/checked-call.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { insertDelivery, leaseClock } from '../../../../test/support/stage.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { advance, freeze, readClock, setClock, tryAdvance } from './clock-calls.ts';

const { putClock } = developerApi;

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
});

const setToRun = (rate?: number) =>
  callDeveloper(server, putClock, { key: app.token, body: { mode: 'running', rate } });

test('a frozen clock stands still, and continues from there when it runs again', async () => {
  const { body } = await setClock(server, app, { mode: 'frozen' });
  expect(body).toEqual({ now: testNow, mode: 'frozen', rate: 1 });
  await server.clock.advance(60_000);
  expect((await readClock(server, app)).now).toBe(testNow);
  const set = await setClock(server, app, { mode: 'running', rate: 10 });
  expect(set.body).toEqual({ now: testNow, mode: 'running', rate: 10 });
  await server.clock.advance(1_000);
  expect(await readClock(server, app)).toMatchObject({ now: testNow + 10_000, mode: 'running', rate: 10 });
});

test.each([
  [{}, ''],
  [{ by: '-P1D' }, '/by'],
  [{ to: testNow - 1 }, '/to'],
])('an advance of %j is rejected and moves nothing', async (body, path) => {
  await freeze(server, app);
  const response = await tryAdvance(server, app, body);
  expect(response.body).toMatchObject({ status: 400, error: { code: 9000 }, errors: [{ path }] });
  expect((await readClock(server, app)).now).toBe(testNow);
});

test.each([0, 100_001])('a clock with a rate of %d is rejected and changes nothing', async (rate) => {
  expect((await setToRun(rate)).status).toBe(400);
  expect(await readClock(server, app)).toMatchObject({ now: testNow, mode: 'running', rate: 1 });
});

test('while a clock is advanced, any other advance or change of it is rejected with 409', async () => {
  await freeze(server, app);
  const lease = (until: number) => leaseClock(server, app, { until, advanceTo: testNow + 5 });
  await lease(testNow + 1);
  expect((await tryAdvance(server, app, { by: 'P1D' })).status).toBe(409);
  expect((await setToRun()).status).toBe(409);
  const { now, mode, advanceTo } = await readClock(server, app);
  expect([now, mode, advanceTo]).toEqual([testNow, 'frozen', testNow + 5]);
  await lease(testNow);
  expect((await tryAdvance(server, app, { by: 'P1D' })).status).toBe(200);
  expect((await readClock(server, app)).now).toBe(testNow + 86_400_000);
});

describe('the next stops of a clock', () => {
  const hourMs = 60 * 60 * 1000;
  const monthsLater = (count: number) => Date.UTC(2026, 2 + count, 15, 12);

  beforeEach(() => freeze(server, app));

  const stopsOf = async () => (await readClock(server, app)).stops;

  const subscribe = (purchaseId: string, purchaseTime = testNow) =>
    recordTestPurchase(server, app, { productId: 'monthly', purchaseId, purchaseTime });

  test('stops are listed in order of time, with one of each kind at an instant, its count and its first id', async () => {
    await subscribe('S-2');
    await subscribe('S-1');
    await subscribe('S-early', testNow - hourMs);
    await subscribe('S-off');
    const path = { purchaseId: 'S-off', action: 'cancel' };
    await callPurchase(server, manageRecurringPaymentStatus, app, { path });
    expect(await stopsOf()).toEqual([
      { time: monthsLater(1) - hourMs, kind: 'renewal', count: 1, id: 'S-early' },
      { time: monthsLater(1), kind: 'renewal', count: 2, id: 'S-1' },
      { time: monthsLater(1), kind: 'expiry', count: 1, id: 'S-off' },
    ]);
  });

  test('a declined charge is listed as a retry, and one without a definite outcome as a poll', async () => {
    await subscribe('S-1');
    await subscribe('S-2');
    await putTestFaults(server, app, [
      { operation: 'charge', outcome: 'declined', times: 1 },
      { operation: 'charge', outcome: 'pending', times: 1 },
    ]);
    await advance(server, app, { to: monthsLater(1) });
    expect(await stopsOf()).toEqual([
      { time: monthsLater(1) + 60_000, kind: 'poll', count: 1, id: 'S-2' },
      { time: monthsLater(1) + hourMs, kind: 'retry', count: 1, id: 'S-1' },
    ]);
  });

  test('a delivery that waits for its next attempt is listed with its id', async () => {
    const delivery = { eventId: 'evt_1_0123456789abcdef', eventType: 'purchase.completed' };
    await insertDelivery(server, app, { ...delivery, eventTime: testNow + hourMs, state: 'waiting' });
    const stop = { time: testNow + hourMs, kind: 'delivery', count: 1, id: delivery.eventId };
    expect(await stopsOf()).toEqual([stop]);
  });
});
