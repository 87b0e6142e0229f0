// format-1.ndjson was exported by the first version of OpenTill. It contains every kind of line of that version.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  callPurchaseApi,
  freshDatabase,
  operate,
  requestToken,
  useForFile,
  useTestServer,
} from '../harness.ts';
import { TestClock } from '../test-clock.ts';
import { imported, kindsOf } from './transfer.ts';

const text = await readFile(new URL('format-1.ndjson', import.meta.url), 'utf8');
const packageName = 'com.example.game';
const credentials = { clientId: packageName, clientSecret: 'H2wKxv2sxQWOZ44QMmEpY48WKF41qb3NCewHXdlZQfE' };
const exportedAt = 1_795_390_100_000;

const database = await useForFile(freshDatabase());
const { imported: counts, leftOut } = await imported(database.connection, text);
const lines = Object.values(counts).reduce((sum, count) => sum + count, leftOut);
// All lines except the first and the last.
expect(lines).toBe(text.trimEnd().split('\n').length - 2);
expect(leftOut).toBe(2);
const { action, ...others } = counts;
expect(kindsOf(text)).toMatchObject({ ...others, change: action, eventDay: 1, shortenedTokens: 1 });
const server = await useTestServer({ database, clock: new TestClock(exportedAt) });

test('importing an export of format 1 a second time writes nothing', async () => {
  const again = await imported(database.connection, text);
  expect(again).toMatchObject({ imported: {}, different: {} });
});

test('an app imported from format 1 gets a token with its secret and reads its purchases', async () => {
  const { body } = await requestToken(server, credentials);
  const read = async (path: string) =>
    (await callPurchaseApi(server, { token: body.access_token, path: `${path}/${packageName}` })).body;
  expect(await read('/details/p-coins-1')).toEqual({
    consumptionState: 1,
    developerPayload: 'payload 1',
    purchaseState: 0,
    purchaseTime: 1_795_389_971_469,
  });
  expect(await read('/details/p-coins-4')).toMatchObject({ consumptionState: 0, purchaseState: 0 });
  expect(await read('/details/p-sword')).toMatchObject({ purchaseState: 1 });
  expect(await read('/recurring-details/s-cancelled')).toMatchObject({ startTime: 1_795_389_971_469 });
  expect(await read('/last-recurring-details/s-active')).toEqual({
    startTime: 1_800_660_371_469,
    expiryTime: 1_803_338_771_469,
    nextPaymentTime: expect.any(Number),
    autoRenewing: true,
    lastPurchaseId: 'SANDBOX5510350558082',
  });
});

test('the operator reads all imported data of format 1, and the next purchase continues its event order', async () => {
  const path = `/apps/${packageName}`;
  const list = async (rest: string) => (await operate(server, 'GET', `${path}${rest}`)).body;
  expect((await list('/purchases')).purchases).toHaveLength(14);
  expect((await list('/subscriptions/s-active')).months).toHaveLength(3);
  expect((await list('/events')).events).toHaveLength(29);
  expect((await list('/webhook/deliveries')).deliveries).not.toHaveLength(0);
  expect(await list('/clock')).toMatchObject({ mode: 'frozen', now: 1_803_597_971_469 });
  const made = await operate(server, 'POST', `${path}/purchases`, { body: { productId: 'coins' } });
  expect(made.status).toBe(201);
  const { events } = await list('/events?after=29');
  expect(events).toMatchObject([{ order: 30, type: 'purchase.completed' }]);
});
