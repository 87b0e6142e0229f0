// opentill rehearse as a process: of a database, of its export, and of a database that may only be read.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listedActions } from '../../../test/support/calls/listed-actions.ts';
import { databaseUrlOf } from '../../../test/support/database-url.ts';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import {
  createTestApp,
  operatorOf,
  recordTestPurchase,
  useForFile,
  useTestServer,
} from '../../../test/support/harness.ts';
import { query } from '../../../test/support/query.ts';
import { opentillHere } from '../../../test/support/start/program-process.ts';
import { systemClock } from '../../server/src/runtime/clock.ts';

const server = await useTestServer();
const operator = operatorOf(server);
const folder = (await useForFile(makeScratch())).path;
const databaseUrl = databaseUrlOf(server.connection);

const run = (args: readonly string[], env: Record<string, string> = { DATABASE_URL: databaseUrl }) =>
  opentillHere(['rehearse', ...args], { env });

const [app, paused] = [
  await createTestApp(server, 'com.example.club'),
  await createTestApp(server, 'com.example.paused'),
];
const now = systemClock.now();
const trial = { firstPeriod: { length: 'P7D', price: 0 } };
for (const [packageName, purchaseId, more] of [
  [app.packageName, 'S-1', {}],
  [app.packageName, 'S-2', trial],
  [app.packageName, 'S-3', {}],
  [paused.packageName, 'S-4', {}],
] as const)
  await recordTestPurchase(
    server,
    { packageName },
    { productId: 'monthly', purchaseId, buyerId: 'the buyer', ...more },
  );
await operator.cancelSubscription({ packageName: app.packageName, firstPurchaseId: 'S-3' });
await operator.pauseRenewals({ packageName: paused.packageName });
// They begin now, by the real clock of the command.
await query(
  server.connection,
  `update subscription set expiry_time = $1::bigint + (expiry_time - last_start_time), anchor_time = $1::bigint + (expiry_time - last_start_time),
    anchor_index = 0, last_start_time = $1::bigint, first_start_time = $1::bigint,
    next_payment_time = case when auto_renewing then $1::bigint + (expiry_time - last_start_time) end`,
  [now],
);

test('opentill rehearse prints what is charged, by kind and currency, and what it assumes, and is an action', async () => {
  const { code, stdout, stderr } = await run(['--until', 'P45D', '--json']);
  expect(code, stderr).toBe(0);
  const report = JSON.parse(stdout);
  expect(report.assumptions).toMatchObject({
    ...{ timeZone: 'UTC', declined: 0, prices: {}, pausedApps: ['com.example.paused'], subscriptions: 3 },
  });
  const rows = report.rows.map(({ kind, price, charged, ended }: Record<string, unknown>) => ({
    ...{ kind, price, charged, ended },
  }));
  expect(rows).toEqual(
    expect.arrayContaining([
      { kind: 'trialEnds', price: 499, charged: 1, ended: 0 },
      { kind: 'renewal', price: 499, charged: 1, ended: 0 },
      { kind: 'lastPeriod', price: 499, charged: 0, ended: 1 },
    ]),
  );
  expect(report.currencies).toMatchObject([{ currency: 'EUR', charged: 3, amount: 1_497, ended: 1 }]);
  expect(stdout).not.toContain('the buyer');
  expect(await listedActions(server, { operationId: 'rehearse' })).toMatchObject([
    { operationId: 'rehearse', detail: { filters: 'until=P45D' } },
  ]);
});

test('a rehearsal of an export needs no database and equals that of the store, also with a new price and declines', async () => {
  const file = join(folder, 'store.ndjson');
  const exported = await opentillHere(['export'], { env: { DATABASE_URL: databaseUrl } });
  await writeFile(file, exported.stdout);
  const args = ['--until', 'P1Y', '--price', 'monthly=599', '--decline', '40%', '--seed', '7', '--csv'];
  const [ofStore, ofFile] = [await run(args), await run([file, ...args], { DATABASE_URL: '' })];
  expect([ofFile.code, ofStore.code]).toEqual([0, 0]);
  expect(ofFile.stdout).toBe(ofStore.stdout);
  const [head, first] = ofFile.stdout.split('\r\n');
  expect(head).toMatch(/^date,packageName,productId,kind,price,currency,charged,amount,declined,recovered,/);
  expect(first).toMatch(/^\d{4}-\d\d-\d\d,com\.example\.club,monthly,trialEnds,599,EUR,\d,/);
  expect(ofFile.stderr).toContain('the gateway: declines 40% (seed 7)');
  expect(ofFile.stderr).toContain('prices: monthly=599');
  await writeFile(file, exported.stdout.split('\n').slice(0, -2).join('\n'));
  const cut = await run([file, '--until', 'P1M'], {});
  expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('it was cut off')]);
});

test('an account that may only read rehearses without an action, and an invalid duration is rejected', async () => {
  await query(server.connection, `create role rehearsal_reader login password 'reads'`);
  await query(server.connection, 'grant select on all tables in schema public to rehearsal_reader');
  const url = new URL(databaseUrl);
  [url.username, url.password] = ['rehearsal_reader', 'reads'];
  const before = (await listedActions(server, { operationId: 'rehearse' })).length;
  const { code, stdout, stderr } = await run(['--until', 'P45D'], { DATABASE_URL: url.href });
  await query(server.connection, 'revoke all on all tables in schema public from rehearsal_reader');
  await query(server.connection, 'drop role rehearsal_reader');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^by currency:$/m);
  expect(await listedActions(server, { operationId: 'rehearse' })).toHaveLength(before);
  for (const until of ['a month', 'P0D', 'P6Y']) {
    const refused = await run(['--until', until]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('--until: expected a duration'),
    ]);
  }
});
