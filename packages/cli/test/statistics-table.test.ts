// The tables of statistics and statements in a terminal.

import { expect, test } from 'vitest';
import { recordTestPurchase, useTestServer } from '../../../test/support/harness.ts';
import { outputOf } from '../../../test/support/process-output.ts';
import { opentill, opentillHere, serverEnv } from '../../../test/support/start/program-process.ts';
import { countAll } from '../../../test/support/statistics/counting.ts';
import { openDatabase } from '../../../test/support/store/open-database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const server = await useTestServer();

const run = (line: string) => opentillHere(line.split(' '), { env: serverEnv(server) });

test('the table of statistics has what makes a balance, and says how many fields it leaves out', async () => {
  const packageName = 'com.example.balance';
  for (const line of [
    `app create ${packageName}`,
    `call putProduct ${packageName} coins --type oneTime --price 499 --currency EUR`,
    `purchase record ${packageName} coins --purchase-id B-1`,
    `purchase record ${packageName} coins --purchase-id B-2`,
    `purchase void ${packageName} B-2`,
  ])
    expect((await run(line)).code, line).toBe(0);
  await using database = openDatabase(server.connection, 3);
  await countAll(database);
  const day = new Date(server.clock.now()).toISOString().slice(0, 10);
  const line = `call getStatistics --app ${packageName} --from ${day} --to ${day}`;
  const { code, stdout, stderr } = await run(line);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ more fields: --json\n$/)]);
  expect(stdout).toMatch(
    /period +currency +sold +soldAmount +trials +renewed +voided +voidedAmount +remainingAmount +active\n/,
  );
  expect(stdout).toMatch(/EUR +2 +998 +0 +0 +1 +499 +499 +0\n/);
});

test('statistics with --wait have what was sold before the call, and say until then that they wait', async () => {
  const packageName = 'com.example.wait';
  for (const line of [
    `app create ${packageName}`,
    `call putProduct ${packageName} coins --type oneTime --price 499 --currency EUR`,
  ])
    expect((await run(line)).code, line).toBe(0);
  const now = server.clock.now();
  const day = new Date(now).toISOString().slice(0, 10);
  const line = `call getStatistics --app ${packageName} --from ${day} --to ${day} --wait --json`;
  const { code, stdout, stderr } = await opentill(line.split(' '), {
    env: serverEnv(server),
    async during(running) {
      const output = outputOf(running);
      await waitFor(() => output.stderr !== '', { what: 'a response of which the time is not over' });
      await recordTestPurchase(server, { packageName });
      expect(output.stdout).toBe('');
      await server.clock.set(now + 1);
    },
  });
  expect([code, stderr]).toEqual([0, 'Waiting until everything before this call is counted.\n']);
  expect(JSON.parse(stdout)).toMatchObject({ calledAt: now + 1, countedUntil: now + 1, rows: [{ sold: 1 }] });
});

test('opentill statement lists and reads the months of an app, and a void may refund a part', async () => {
  const packageName = 'com.example.statement';
  for (const line of [
    `app create ${packageName}`,
    `call putProduct ${packageName} coins --type oneTime --price 500 --currency EUR`,
    `purchase record ${packageName} coins --purchase-id P-1`,
    `purchase void ${packageName} P-1 --refund-amount 200`,
  ])
    expect((await run(line)).code, line).toBe(0);
  expect(await run(`statement list ${packageName}`)).toEqual({ code: 0, stdout: '', stderr: 'None.\n' });
  const { stdout } = await run(`statement get ${packageName} soFar`);
  expect(stdout).toMatch(/^EUR +1 +500 +0 +0 +0 +1 +200 +300$/m);
  expect(stdout).toMatch(/^coins +EUR +1 +500 +0 +0 +0 +1 +200 +300$/m);
});
