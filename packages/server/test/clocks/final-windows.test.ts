// A window of the voided list is final: a void that its first page could not see is dated at its end or later.

import { developerApi } from '@opentill/contract/developer-api.ts';
import { putClock } from '@opentill/contract/operator-api/putClock.ts';
import { describe, expect, test } from 'vitest';
import { tryVoid } from '../../../../test/support/calls/purchase-changes.ts';
import {
  createTestApp,
  newTestApp,
  recordTestPurchase,
  type TestApp,
  type TestServer,
  testNow,
  useTestServer,
} from '../../../../test/support/harness.ts';
import { callDeveloper, callOperator } from '../../../../test/support/http/checked-call.ts';
import { openSecondConnection, waitedFor } from '../../../../test/support/store/second-connection.ts';
import { advance, freeze, readClock, setClock } from '../app-clock/clock-calls.ts';
import { listIds, listVoided } from '../purchases/voided-purchases.ts';
import { withFreshToken } from '../subscriptions/staged-subscription.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const sandbox = await useTestServer();
const production = await useTestServer({ env: { OPENTILL_ENVIRONMENT: 'production' } });

/** Where the lock of an app's voids is: on a cluster, on the node of the app. */
const shareLock = 'select share_voids_v1(package_name, true) from app_counter where package_name = $1';

/**
 * A first page that is being read, then a void, then a second first page with an end of now, which is later. Returns the
 * time of the void, and whether the second page lists it.
 */
async function raceOf(
  server: TestServer,
  app: TestApp,
  { now, pass }: { readonly now: () => number; readonly pass: () => Promise<unknown> },
) {
  await using first = await openSecondConnection(server.connection);
  await first.run(shareLock, [app.packageName]);
  const voiding = tryVoid(server, app, 'P-1');
  await waitedFor(first, voiding);
  await pass();
  const endTime = now();
  const second = listVoided(server, app, { startTime: endTime - 60_000, endTime });
  await first.commit();
  const { voidedTime } = (await voiding).body;
  const { voidedPurchaseList } = (await second).body;
  return { voidedTime, endTime, listed: voidedPurchaseList.length };
}

describe('a void that waits for a first page', () => {
  test('is in the second page, or dated at its end or later, in production', async () => {
    const app = await createTestApp(production, 'com.example.production');
    await recordTestPurchase(production, app, { purchaseId: 'P-1' });
    const { clock } = production;
    const race = await raceOf(production, app, { now: () => clock.now(), pass: () => clock.advance(500) });
    expect(race.voidedTime).toBe(race.endTime);
  });

  test('is dated by a frozen clock, and in the page that ends then', async () => {
    const app = await newTestApp(sandbox);
    await recordTestPurchase(sandbox, app, { purchaseId: 'P-1' });
    await freeze(sandbox, app);
    const race = await raceOf(sandbox, app, { now: () => testNow, pass: async () => undefined });
    expect(race).toEqual({ voidedTime: testNow, endTime: testNow, listed: 1 });
  });

  test('is dated before the advance that waits for it', async () => {
    const app = await newTestApp(sandbox);
    await recordTestPurchase(sandbox, app, { purchaseId: 'P-1' });
    await freeze(sandbox, app);
    let advancing: Promise<unknown> | undefined;
    const race = await raceOf(sandbox, app, {
      now: () => testNow,
      pass: async () => {
        advancing = advance(sandbox, app, { by: 'PT1H' });
      },
    });
    await advancing;
    expect(race.voidedTime).toBe(testNow);
    expect(await listIds(sandbox, app, { endTime: testNow + hourMs })).toEqual(['P-1']);
  });
});

test('a page up to now waits for a clock that is being set, which may have shown a later time', async () => {
  const app = await newTestApp(sandbox);
  await recordTestPurchase(sandbox, app, { purchaseId: 'P-1' });
  await using audit = await openSecondConnection(sandbox.connection);
  await audit.run('lock table operator_action in share mode');
  const freezing = callOperator(sandbox, putClock, { path: app, body: { mode: 'frozen' } });
  await waitedFor(audit, freezing);
  await sandbox.clock.advance(200);
  const page = listVoided(sandbox, app, { endTime: sandbox.clock.now() });
  await audit.commit();
  expect((await freezing).status).toBe(200);
  expect(await page).toMatchObject({ status: 400, body: { error: { code: 9101 } } });
});

test('a void that follows from a charge during an advance has its own instant, whatever else is renewed with it', async () => {
  const times: number[] = [];
  for (const hasOther of [false, true]) {
    const app = await newTestApp(sandbox);
    await freeze(sandbox, app);
    const { expiryTime } = await recordTestPurchase(sandbox, app, { purchaseId: 'A', productId: 'monthly' });
    if (hasOther) {
      await advance(sandbox, app, { by: 'P3D' });
      await recordTestPurchase(sandbox, app, { purchaseId: 'B', productId: 'monthly' });
    }
    const fault = { operation: 'charge', outcome: 'pending', times: 1, firstPurchaseId: 'A' };
    await callDeveloper(sandbox, developerApi.putFaults, { key: app.token, body: [fault] });
    await advance(sandbox, app, { to: expiryTime });
    await tryVoid(sandbox, app, 'A');
    await advance(sandbox, app, { by: 'P10D' });
    const fresh = await withFreshToken(sandbox, app);
    const { voidedPurchaseList } = (await listVoided(sandbox, fresh, {})).body;
    expect(voidedPurchaseList).toHaveLength(2);
    times.push(voidedPurchaseList[1].voidedTime - expiryTime);
    expect(voidedPurchaseList[1].voidedTime).toBeLessThan(expiryTime + dayMs);
  }
  expect(times).toEqual([60_000, 60_000]);
});

test('a void that follows from a charge during an advance is not before the end of a page of earlier', async () => {
  const app = await newTestApp(sandbox);
  await freeze(sandbox, app);
  const { expiryTime } = await recordTestPurchase(sandbox, app, { purchaseId: 'A', productId: 'monthly' });
  const fault = { operation: 'charge', outcome: 'pending', times: 1, firstPurchaseId: 'A' };
  await callDeveloper(sandbox, developerApi.putFaults, { key: app.token, body: [fault] });
  await advance(sandbox, app, { to: expiryTime });
  await tryVoid(sandbox, app, 'A');
  // What is due in this hour of the app's clock waits for the advance.
  await setClock(sandbox, app, { mode: 'running', rate: hourMs / 1_000 });
  await sandbox.clock.advance(1_000);
  const fresh = await withFreshToken(sandbox, app);
  const endTime = (await readClock(sandbox, app)).now;
  expect(endTime).toBe(expiryTime + hourMs);
  expect(await listIds(sandbox, fresh, { startTime: expiryTime, endTime })).toEqual(['A']);
  await advance(sandbox, app, { by: 'PT1S' });
  const { voidedPurchaseList } = (await listVoided(sandbox, fresh, {})).body;
  expect(voidedPurchaseList).toHaveLength(2);
  expect(voidedPurchaseList[1].voidedTime).toBe(endTime);
});

describe('a bound ahead of now', () => {
  test('gets its response when it has passed, if that takes at most 2 seconds', async () => {
    const app = await createTestApp(production, 'com.example.ahead');
    await recordTestPurchase(production, app, { purchaseId: 'P-1' });
    const endTime = production.clock.now() + 1_000;
    const page = listIds(production, app, { startTime: endTime - 2_000, endTime });
    await production.clock.set(endTime);
    await tryVoid(production, app, 'P-1');
    expect(await page).toEqual(['P-1']);
  });

  test('is rejected with 9101 if it is 2,001 ms ahead', async () => {
    const app = await createTestApp(production, 'com.example.farahead');
    const response = await listVoided(production, app, { endTime: production.clock.now() + 2_001 });
    expect(response).toMatchObject({ status: 400, body: { error: { code: 9101 } } });
    expect(response.body.error.message).toContain('which is 2001 ms ahead.');
  });

  test('is rejected under a moved clock with a message that says that real time would fit', async () => {
    const app = await newTestApp(sandbox);
    await freeze(sandbox, app);
    await advance(sandbox, app, { by: 'P60D' });
    const fresh = await withFreshToken(sandbox, app);
    const { body } = await listVoided(sandbox, fresh, { startTime: testNow - 1_000 });
    expect(body.error.message).toMatch(
      /got \d+ \(\S+Z\); now is the time of the app's clock \(getClock\), and the range would fit the real time\.$/,
    );
  });
});
