// opentill event as a process, on a running and on a restarted server.

import { expect, test } from 'vitest';
import {
  createTestApp,
  freshDatabase,
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
