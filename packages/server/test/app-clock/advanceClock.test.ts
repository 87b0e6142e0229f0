// Advances of a clock: everything that falls due happens in the order of time, each at its own instant.

import { getLastRecurringPurchaseDetails } from '@opentill/contract/purchase-api/getLastRecurringPurchaseDetails.ts';
import { beforeEach, expect, test } from 'vitest';
import {
  newTestApp,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callPurchase } from '../../../../test/support/http/purchase-call.ts';
import { insertSubscriptions } from '../renewals/due-subscriptions.ts';
import { advance, eventsOf, freeze } from './clock-calls.ts';

const month = (months: number, day = 15) => Date.UTC(2026, 2 + months, day, 12);

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await freeze(server, app);
});

const subscribe = () => recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });

test('an advance of a year renews a subscription twelve times, each on time, and the newest month is shown', async () => {
  await subscribe();
  const { now, count, happened, eventsAfter } = await advance(server, app, { by: 'P1Y' });
  expect([now, count, eventsAfter]).toEqual([month(12), 12, 13]);
  expect(happened).toMatchObject(
    Array.from({ length: 12 }, (_, index) => ({
      type: 'subscription.renewed',
      order: index + 2,
      eventTime: month(index + 1),
      firstPurchaseId: 'S-1',
    })),
  );
  const path = { purchaseId: 'S-1' };
  const details = await callPurchase(server, getLastRecurringPurchaseDetails, app, { path });
  expect(details.body).toEqual({
    startTime: month(12),
    expiryTime: month(13),
    nextPaymentTime: month(13),
    autoRenewing: true,
    lastPurchaseId: happened.at(-1).purchaseId,
  });
});

test('an item due at exactly the new time has happened, and an item due 1 ms later has not', async () => {
  await subscribe();
  const before = { now: month(1) - 1, count: 0, happened: [], eventsAfter: 1 };
  expect(await advance(server, app, { to: before.now })).toEqual(before);
  expect((await advance(server, app, { to: month(1) })).count).toBe(1);
  expect((await advance(server, app, { to: month(1) })).count).toBe(0);
});

test('an advance returns the first 1,000 events, counts all, and eventsAfter leads to the others', async () => {
  const due = { count: 350, start: testNow, due: month(1) };
  await insertSubscriptions(server.connection, app.packageName, due);
  const { count, happened, eventsAfter } = await advance(server, app, { by: 'P3M' });
  expect([count, happened.length, eventsAfter]).toEqual([1_050, 1_000, 1_000]);
  const events = await eventsOf(server.connection, app.packageName);
  expect(events).toHaveLength(1_050);
  expect(happened.map((event: { eventTime: number }) => event.eventTime)).toEqual(
    events.slice(0, 1_000).map(({ time }) => time),
  );
  expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => a - b));
});
