// What a server with OPENTILL_WORKERS=2 does when its processes cannot start, are killed, or have to reload.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findClusterFolder, findProcessesOf, makeScratch, query } from '../embedded/scratch.ts';
import { databaseEnv, freshDatabase, useForFile } from '../harness.ts';
import { waitFor } from '../wait-for.ts';
import { refusedStart } from './opentill-process.ts';
import { callBoth, commandLineOf, startWorkers, workersOf } from './worker-server.ts';

const scratch = await useForFile(makeScratch());
const database = await useForFile(freshDatabase());
const keysFile = join(scratch.path, 'operator.keys');
const keyOf = (letter: string) => `${letter}-`.repeat(20);
const writeKey = (letter: string) => writeFile(keysFile, `ops:admin:${keyOf(letter)}\n`);
await writeKey('a');

const { OPENTILL_OPERATOR_KEY: _, ...databaseOnly } = databaseEnv(database.connection);
const env = { ...databaseOnly, OPENTILL_OPERATOR_KEYS_FILE: keysFile, OPENTILL_WORKERS: '2' };
const server = await useForFile(startWorkers({ env }));
const { publicUrl, operatorUrl } = await server.ready();

async function statusesOf(letter: string): Promise<Set<number>> {
  const headers = { authorization: `Bearer ${keyOf(letter)}` };
  const answers = await callBoth(`${operatorUrl}/operator/v1/apps`, { headers });
  return new Set(answers.map(({ status }) => status));
}

test('a problem that only a worker finds, or only the parent, is reported in one line', async () => {
  expect(await refusedStart({ env: { ...env, OPENTILL_ENVIRONMENT: 'production' } })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]*sandbox[^\n]*\n$/),
  });
  const { port } = new URL(operatorUrl);
  expect(await refusedStart({ env: { ...env, OPENTILL_OPERATOR_PORT: port } })).toEqual({
    code: 1,
    stdout: '',
    stderr: `The port ${port} of 127.0.0.1 is in use: stop the program that uses it, or choose another port.\n`,
  });
});

test('all processes of a server have the secrets of its start or of its last reload, also a worker that starts later', async () => {
  expect(await statusesOf('a')).toEqual(new Set([200]));
  await writeKey('b');
  server.signal('SIGHUP');
  const reloads = () => server.output.stdout.split('reloaded TLS files').length - 1;
  await waitFor(() => reloads() === 2, { deadlineMs: 10_000, what: 'a line of each worker' });
  expect([await statusesOf('a'), await statusesOf('b')]).toEqual([new Set([401]), new Set([200])]);

  await writeKey('c');
  const [killed = Number.NaN] = workersOf(server);
  process.kill(killed, 'SIGKILL');
  await waitFor(() => !workersOf(server).includes(killed), { deadlineMs: 5_000, what: 'its end' });
  expect([await statusesOf('b'), await statusesOf('c')]).toEqual([new Set([200]), new Set([401])]);
  await writeFile(keysFile, 'not a key\n');
  server.signal('SIGHUP');
  const failures = () => server.output.stdout.split('not reloaded').length - 1;
  await waitFor(() => failures() === 1, { deadlineMs: 10_000, what: 'the line of the parent' });
  expect(await statusesOf('b')).toEqual(new Set([200]));
});

test('a server whose workers all end at their start again and again ends with one line', async () => {
  await callBoth(`${publicUrl}/v2/none`);
  await query(database.connection, 'update installation set oldest_compatible_schema = 999');
  for (const worker of workersOf(server)) process.kill(worker, 'SIGKILL');
  expect(await server.ended()).toBe(1);
  expect(server.output.stderr).toMatch(
    /^The server ended, because its processes ended 5 times in a row: The schema of this database needs a newer server[^\n]+\n$/,
  );
  const restarts = server.output.stdout.split('starting another').length - 1;
  expect(restarts).toBeLessThanOrEqual(1 + 2 * 5);
});

test('with the bundled PostgreSQL the welcome and the demo come once, a second server is refused, and kill -9 of the parent leaves nothing', async () => {
  const bundled = { OPENTILL_WORKERS: '2', OPENTILL_DATA_DIR: scratch.dataFolder, OPENTILL_DEMO: 'true' };
  await using first = startWorkers({ env: bundled });
  await callBoth(`${(await first.ready()).publicUrl}/v2/none`);
  for (const words of [/OpenTill, sandbox/g, /client_secret {2}/g, /Created the schema/g])
    expect(first.output.stdout.match(words)).toHaveLength(1);
  expect(await refusedStart({ env: bundled })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^another OpenTill server is running on the data folder [^\n]+\n$/),
  });

  const cluster = await findClusterFolder(scratch.dataFolder);
  const workers = workersOf(first);
  expect([workers.length, findProcessesOf(cluster).length > 0]).toEqual([2, true]);
  process.kill(first.pid, 'SIGKILL');
  await waitFor(() => workers.map(commandLineOf).join('') === '' && findProcessesOf(cluster).length === 0, {
    deadlineMs: 5_000,
    what: 'the end of all processes',
  });

  await using second = startWorkers({ env: bundled });
  await second.ready();
  second.signal('SIGTERM');
  expect([await second.ended(), second.output.stderr]).toEqual([0, '']);
  expect(findProcessesOf(cluster)).toEqual([]);
});
