// repair-clock: what a server left behind that ran with its clock a year ahead.

import { beforeAll, expect, test } from 'vitest';
import { repairClock } from '../../server/src/maintenance/repair-clock.ts';
import { openSecondConnection, waitedFor } from '../../server/test/attack/second-connection.ts';
import { databaseUrlOf } from '../../server/test/database-url.ts';
import { query } from '../../server/test/embedded/scratch.ts';
import {
  callPurchaseApi,
  createTestApp,
  operate,
  recordTestPurchase,
  requestToken,
  startTestServer,
  useForFile,
} from '../../server/test/harness.ts';
import { TestClock } from '../../server/test/test-clock.ts';
import { opentill } from './program-process.ts';

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** The command asks the database for the time, which is the machine's. */
const start = Date.now();
const clock = new TestClock(start);
const server = await useForFile(startTestServer({ clock }));
const app = await createTestApp(server);
const { packageName } = app;
const voidOne = (id: string) => operate(server, 'POST', `/apps/${packageName}/purchases/${id}/void`);

beforeAll(async () => {
  const webhook = { body: { url: 'https://example.com/hooks' } };
  await operate(server, 'PUT', `/apps/${packageName}/webhook`, webhook);
  for (const purchaseId of ['P-1', 'P-2']) await recordTestPurchase(server, app, { purchaseId });
  await recordTestPurchase(server, app, { productId: 'monthly', purchaseId: 'S-1' });
  clock.advance(yearMs);
  for (const id of ['S-1', 'P-1']) expect((await voidOne(id)).status).toBe(200);
  await requestToken(server, app);
  const ahead = [packageName, clock.now()];
  await query(
    server.connection,
    `update webhook set lease_holder = 'killed', lease_until = $2 where package_name = $1`,
    ahead,
  );
  await query(server.connection, 'update event set written_at = $2 where package_name = $1', ahead);
  for (const disabled of [true, false]) {
    await operate(server, 'PATCH', `/apps/${packageName}`, { body: { disabled } });
  }
  for (const change of ['pause', 'resume']) {
    await operate(server, 'POST', `/renewals/${change}`, { body: { packageName } });
  }
  clock.set(start);
});

const storeEnv = () => ({ DATABASE_URL: databaseUrlOf(server.connection) });

const repair = async (...flags: string[]) => {
  const env = storeEnv();
  const { code, stdout, stderr } = await opentill(['database', 'repair-clock', '--json', ...flags], { env });
  expect(code, stderr).toBe(0);
  const found = JSON.parse(stdout) as { what: string; rows: number; latestTime: number }[];
  return Object.fromEntries(found.map(({ what, rows }) => [what, rows]));
};

const leftBehind = {
  'enabled apps': 1,
  'resumed renewals': 1,
  'leases of webhooks': 1,
  subscriptions: 1,
  voids: 2,
  events: 6,
  tokens: 1,
  'last voids': 1,
};

test('repair-clock lists what a wrong clock wrote ahead, corrects it with --apply, and then finds nothing', async () => {
  expect(await repair()).toEqual(leftBehind);
  expect((await voidOne('P-2')).status).toBe(503);
  expect(await repair('--apply')).toEqual(leftBehind);
  const { body } = await operate(
    server,
    'GET',
    `/actions?packageName=${packageName}&operationId=repair-clock`,
  );
  expect(body.actions).toMatchObject([
    {
      operationId: 'repair-clock',
      madeBy: expect.stringMatching(/^command:/),
      detail:
        'enabled apps: 1, resumed renewals: 1, leases of webhooks: 1, subscriptions: 1, voids: 2, events: 6, tokens: 1, last voids: 1',
    },
  ]);
  clock.set(Date.now());
  expect(await repair()).toEqual({});
  expect((await voidOne('P-2')).status).toBe(200);
  const token = (await requestToken(server, app)).body.access_token;
  const list = `/voided-purchases/${packageName}?endTime=${clock.now()}`;
  const { voidedPurchaseList: voided } = (await callPurchaseApi(server, { token, path: list })).body;
  expect(voided.map(({ purchaseId }: { purchaseId: string }) => purchaseId)).toEqual(['S-1', 'P-1', 'P-2']);
  const details = `/recurring-details/S-1/${packageName}`;
  const { expiryTime, cancelledTime } = (await callPurchaseApi(server, { token, path: details })).body;
  expect(expiryTime).toBeLessThanOrEqual(clock.now());
  expect(cancelledTime).toBe(voided[0].voidedTime);
  const [left] = await query(
    server.connection,
    `select lease_until, (select max(written_at)::float8 from event) as written_at from webhook`,
  );
  expect(left?.['lease_until']).toBeNull();
  expect(left?.['written_at']).toBeLessThanOrEqual(Date.now());
});

test('what is written while other apps are repaired is not ahead', async () => {
  const later = await createTestApp(server, `${packageName}.z`);
  await recordTestPurchase(server, later);
  const now = Date.now();
  let readings = 0;
  const slow = { now: async () => now + 90_000 * readings++ };
  const sql = 'update event set written_at = $2 where package_name = $1';
  await query(server.connection, sql, [later.packageName, now + 90_000]);
  expect(await repairClock(storeEnv(), { apply: false, clock: slow })).toEqual([]);
});

test('a repair waits for an erasure of a buyer, and both succeed', async () => {
  const ahead = Date.now() + yearMs;
  for (const sql of [
    `update webhook set lease_holder = 'killed', lease_until = $2 where package_name = $1`,
    'update subscription set cancelled_time = $2 where package_name = $1',
  ]) {
    await query(server.connection, sql, [packageName, ahead]);
  }
  await using erasure = await openSecondConnection(server.connection);
  await erasure.run('update webhook set lease_holder = null, lease_until = null where package_name = $1', [
    packageName,
  ]);
  const repairing = repairClock(storeEnv(), { apply: true });
  await waitedFor(erasure, repairing);
  await erasure.run('select from subscription where package_name = $1 for no key update', [packageName]);
  await erasure.commit();
  expect(await repairing).toContainEqual(
    expect.objectContaining({ packageName, what: 'subscriptions', rows: 1 }),
  );
});
