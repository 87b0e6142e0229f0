// The next stops of a clock: what is listed, in which order, and that an advance to a stop makes it happen.

import { manageRecurringPaymentStatus } from '@opentill/contract/purchase-api/manageRecurringPaymentStatus.ts';
import { beforeEach, expect, test } from 'vitest';
import { newTestApp, recordTestPurchase, type TestApp, testNow, useTestServer } from '../harness.ts';
import { callPurchase } from '../purchase-api/purchase-call.ts';
import { putTestFaults } from '../sandbox/sandbox-stage.ts';
import { insertDelivery } from '../stage.ts';
import { advance, freeze, readClock } from './clock-calls.ts';

const hourMs = 60 * 60 * 1000;
const month = (months: number) => Date.UTC(2026, 2 + months, 15, 12);

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  app = await newTestApp(server);
  await freeze(server, app);
});

const stopsOf = () => readClock(server, app);

const subscribe = (purchaseId: string, purchaseTime = testNow) =>
  recordTestPurchase(server, app, { productId: 'monthly', purchaseId, purchaseTime });

test('an app without subscriptions and deliveries has no next stop', async () => {
  expect(await stopsOf()).toEqual({ now: testNow, mode: 'frozen', rate: 1, stops: [] });
});

test('stops are listed in order of time, with one of each kind at an instant, its count and its first id', async () => {
  await subscribe('S-2');
  await subscribe('S-1');
  await subscribe('S-early', testNow - hourMs);
  await subscribe('S-off');
  const path = { purchaseId: 'S-off', action: 'cancel' };
  await callPurchase(server, manageRecurringPaymentStatus, app, { path });
  expect((await stopsOf()).stops).toEqual([
    { time: month(1) - hourMs, kind: 'renewal', count: 1, id: 'S-early' },
    { time: month(1), kind: 'renewal', count: 2, id: 'S-1' },
    { time: month(1), kind: 'expiry', count: 1, id: 'S-off' },
  ]);
});

test('a declined charge is listed as a retry, and one without a definite outcome as a poll', async () => {
  await subscribe('S-1');
  await subscribe('S-2');
  await putTestFaults(server, app, [
    { operation: 'charge', outcome: 'declined', times: 1 },
    { operation: 'charge', outcome: 'pending', times: 1 },
  ]);
  await advance(server, app, { to: month(1) });
  expect((await stopsOf()).stops).toEqual([
    { time: month(1) + 60_000, kind: 'poll', count: 1, id: 'S-2' },
    { time: month(1) + hourMs, kind: 'retry', count: 1, id: 'S-1' },
  ]);
});

test('a delivery that waits for its next attempt is listed with its id', async () => {
  const delivery = { eventId: 'evt_1_0123456789abcdef', eventType: 'purchase.completed' };
  await insertDelivery(server, app, { ...delivery, eventTime: testNow + hourMs, state: 'waiting' });
  const stop = { time: testNow + hourMs, kind: 'delivery', count: 1, id: delivery.eventId };
  expect((await stopsOf()).stops).toEqual([stop]);
});
