// Changes of a clock that wait for its lock, during which the clock continues to run, and advances that wait for a locked
// subscription.

import { beforeEach, expect, test } from 'vitest';
import {
  newTestApp,
  recordTestPurchase,
  type TestApp,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { openSecondConnection, waitedFor } from '../../../../test/support/store/second-connection.ts';
import { advance, freeze, readClock, setClock } from './clock-calls.ts';

/** An hour of the app in 36 ms. */
const rate = 100_000;
const waitedMs = 900;

let app: TestApp;
const server = await useTestServer();
beforeEach(async () => {
  await server.clock.set(testNow);
  app = await newTestApp(server);
  await setClock(server, app, { mode: 'running', rate });
});

/** Lets `work` wait for the clock while real time passes; returns its result and the app's time at its end. */
async function whileHeld<Result>(work: () => Promise<Result>): Promise<{ by: number; result: Result }> {
  await using second = await openSecondConnection(server.connection);
  await second.run('select from app_clock where package_name = $1 for share', [app.packageName]);
  const working = work();
  await waitedFor(second, working);
  await server.clock.advance(waitedMs);
  const { now: by } = await readClock(server, app);
  await second.commit();
  return { by, result: await working };
}

test('a clock that is frozen after waiting for a lock does not go back', async () => {
  const { by } = await whileHeld(() => freeze(server, app));
  expect(by).toBe(testNow + waitedMs * rate);
  expect(await readClock(server, app)).toEqual({ now: by, mode: 'frozen', rate: 1, stops: [] });
});

test('an advance waits for a locked subscription, which then renews in its order among the others', async () => {
  await freeze(server, app);
  for (const [purchaseId, ahead] of Object.entries({ 'S-later': 0, 'S-held': 1_000 })) {
    const purchase = { productId: 'monthly', purchaseId, purchaseTime: testNow - ahead };
    await recordTestPurchase(server, app, purchase);
  }
  await using second = await openSecondConnection(server.connection);
  const held = 'select from subscription where package_name = $1 and first_purchase_id = $2 for update';
  await second.run(held, [app.packageName, 'S-held']);
  const advancing = advance(server, app, { by: 'P1M' });
  await waitedFor(second, advancing);
  await second.commit();
  const { happened } = await advancing;
  const due = Date.UTC(2026, 3, 15, 12);
  expect(happened).toMatchObject([
    { type: 'subscription.renewed', firstPurchaseId: 'S-held', eventTime: due - 1_000 },
    { type: 'subscription.renewed', firstPurchaseId: 'S-later', eventTime: due },
  ]);
});
