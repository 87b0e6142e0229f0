// The table of statistics in a terminal.

import { expect, test } from 'vitest';
import { useTestServer } from '../../server/test/harness.ts';
import { countAll } from '../../server/test/statistics/counting.ts';
import { openDatabase } from '../../server/test/store/open-database.ts';
import { opentillHere, serverEnv } from './program-process.ts';

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
    /period +currency +sold +soldAmount +renewed +voided +voidedAmount +remainingAmount +active\n/,
  );
  expect(stdout).toMatch(/EUR +2 +998 +0 +1 +499 +499 +0\n/);
});
