// opentill event as a process, on a running and on a restarted server.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../test/support/embedded/scratch.ts';
import {
  createTestApp,
  freshDatabase,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  useTestServer,
} from '../../../test/support/harness.ts';
import { outputOf } from '../../../test/support/process-output.ts';
import { opentill, opentillHere, serverEnv } from '../../../test/support/start/program-process.ts';
import { waitFor } from '../../../test/support/wait-for.ts';

const server = await useTestServer();

const run = (line: string) => opentillHere(line.split(' '), { env: serverEnv(server) });

test('opentill event lists events page by page, and follows them until Ctrl-C, with the position to continue from', async () => {
  const app = (await createTestApp(server, 'com.example.listed')).packageName;
  for (const id of ['P-1', 'P-2']) await recordTestPurchase(server, { packageName: app }, { purchaseId: id });
  const rows = (await run(`event list ${app} --after 1`)).stdout.trimEnd().split('\n');
  expect(rows.map((row) => row.split(/ {2,}/).slice(2, 4))).toEqual([
    ['type', 'purchaseId'],
    ['purchase.completed', 'P-2'],
  ]);
  const one = await run(`event list ${app} --limit 1 --json`);
  expect(JSON.parse(one.stdout)).toMatchObject([{ order: 1, purchaseId: 'P-1' }]);
  expect(one.stderr).toBe('There are more than 1 entries: use --limit.\n');
  const follow = ['event', 'follow', app, '--after', '1', '--json'];
  const followed = await opentill(follow, {
    env: serverEnv(server),
    async during(running) {
      const orders: number[] = [];
      running.stdout?.on('data', (text: string) => {
        for (const line of text.trim().split('\n')) orders.push(JSON.parse(line).order);
      });
      await waitFor(() => (orders.length === 1 ? true : undefined), { what: 'an event' });
      await recordTestPurchase(server, { packageName: app }, { purchaseId: 'P-3' });
      await waitFor(() => (orders.length === 2 ? true : undefined), { what: 'the next' });
      running.kill('SIGINT');
    },
  });
  const seen = followed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(seen.map(({ purchaseId }) => purchaseId)).toEqual(['P-2', 'P-3']);
  expect([followed.code, followed.stderr]).toEqual([130, `To continue, use --after ${seen[1].id}.\n`]);
});

test('opentill event follow misses no event of a server that restarts, and says that it is retrying', async () => {
  await using database = await freshDatabase();
  const first = await startTestServer({ database });
  const { packageName } = await createTestApp(first, 'com.example.followed');
  await recordTestPurchase(first, { packageName }, { purchaseId: 'BEFORE' });
  const args = ['event', 'follow', packageName, '--after', '0', '--json'];
  const { code, stdout, stderr } = await opentill(args, {
    env: serverEnv(first),
    async during(running) {
      const output = outputOf(running);
      await waitFor(() => output.stdout.includes('BEFORE'), { what: 'an event before the restart' });
      await first.stop();
      await waitFor(() => output.stderr.includes('retrying'), { what: 'a failed call' });
      const env = { OPENTILL_OPERATOR_PORT: new URL(first.operatorUrl).port };
      await using second = await startTestServer({ database, env });
      await recordTestPurchase(second, { packageName }, { purchaseId: 'AFTER' });
      await waitFor(() => output.stdout.includes('AFTER'), { what: 'the event after the restart' });
      running.kill('SIGINT');
    },
  });
  const position = String.raw`evt_\d_\S{16}\.\n`;
  const retrying = `listEvents: no response: .*; retrying every second for the events after ${position}`;
  const notes = new RegExp(`^${retrying}To continue, use --after ${position}$`);
  expect([code, stderr]).toEqual([130, expect.stringMatching(notes)]);
  expect(stdout.match(/"purchaseId":"\w+"/g)).toEqual(['"purchaseId":"BEFORE"', '"purchaseId":"AFTER"']);
});

test('opentill event follow without a package prints the events of all apps and continues from its file, until a gap that is not skipped', async () => {
  const [one, other] = ['com.example.one', 'com.example.other'];
  for (const packageName of [one, other]) await createTestApp(server, packageName);
  await using folder = await makeScratch();
  const file = join(folder.path, 'position.json');
  const follow = async (args: readonly string[], until: string, start?: () => Promise<unknown>) =>
    opentill(['event', 'follow', '--json', '--position', file, ...args], {
      env: serverEnv(server),
      async during(running) {
        const output = outputOf(running);
        await waitFor(() => existsSync(file), { what: 'the position' });
        await start?.();
        await waitFor(() => output.stdout.includes(until), { what: until });
        running.kill('SIGINT');
      },
    });
  const idsOf = (stdout: string) => [...stdout.matchAll(/"purchaseId":"([\w-]+)"/g)].map(([, id]) => id);
  const sell = (packageName: string, purchaseId: string) =>
    recordTestPurchase(server, { packageName }, { purchaseId });
  const first = await follow([], 'LAST-1', async () => {
    await sell(one, 'FIRST-1');
    await sell(other, 'LAST-1');
  });
  expect([first.code, idsOf(first.stdout).sort()]).toEqual([130, ['FIRST-1', 'LAST-1']]);
  await sell(one, 'FIRST-2');
  const second = await follow([], 'FIRST-2');
  expect(idsOf(second.stdout)).toEqual(['FIRST-2']);
  await sell(one, 'FIRST-3');
  await operatorOf(server).reset({ packageName: one });
  await sell(one, 'FIRST-4');
  const ended = await opentill(['event', 'follow', '--position', file], { env: serverEnv(server) });
  const gap = `the events of ${one} after evt_2_\\S+ are no longer available; the next one is 4`;
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toMatch(new RegExp(`${gap} `));
  const skipping = await follow(['--skip-gaps'], 'FIRST-4');
  expect(idsOf(skipping.stdout)).toEqual(['FIRST-4']);
  expect(skipping.stderr).toMatch(new RegExp(`${gap}\\.\n`));
  const all = await run(`event follow ${one} --skip-gaps`);
  expect([all.code, all.stderr]).toEqual([2, expect.stringMatching('use them without a package name')]);
});
