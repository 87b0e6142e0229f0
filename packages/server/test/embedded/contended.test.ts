import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { exists } from '../../src/runtime/files.ts';
import { findClusterFolder, makeScratch, query, requirePostmasterId, type Scratch } from './scratch.ts';
import { startServerProcess } from './server-process.ts';

const refusal = /^another OpenTill server is running on the data folder /;

/** Empty in the first test; the others use its data. */
let scratch: Scratch;

beforeAll(async () => {
  scratch = await makeScratch();
});

afterAll(() => scratch[Symbol.asyncDispose]());

test('exactly one of three servers that start at the same time wins, on a new data folder and on an existing one', async () => {
  for (const round of ['new', 'old']) {
    const servers = [startServerProcess(scratch), startServerProcess(scratch), startServerProcess(scratch)];
    const outcomes = await Promise.all(servers.map((server) => server.outcome()));
    const losers = outcomes.filter((outcome) => outcome !== 'ready');
    expect(losers, round).toHaveLength(2);
    for (const loser of losers) expect(loser).toMatch(refusal);
    const winner = servers[outcomes.indexOf('ready')];
    const connection = await winner?.ready();
    expect(await query(connection ?? {}, 'select 1 as one')).toEqual([{ one: 1 }]);
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

test('a second server on a data folder reports the first one in one line and leaves it alone', async () => {
  await using postgres = await startEmbeddedPostgres(scratch);
  await using second = startServerProcess(scratch);
  expect(await second.problem()).toMatch(refusal);
  expect(await second.ended()).toBe(1);
  expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a copy of a data folder in use is refused in one line that names both folders, and starts when the original has stopped', async () => {
  const original = await startEmbeddedPostgres(scratch);
  await using copied = await makeScratch();
  const copy = async (from: string, to: string) => {
    await mkdir(dirname(to), { recursive: true });
    await promisify(execFile)('cp', ['-a', '--no-target-directory', from, to]);
  };
  const cluster = await findClusterFolder(scratch.dataFolder);
  await copy(scratch.dataFolder, copied.dataFolder);
  const copiedCluster = await findClusterFolder(copied.dataFolder);
  // The database of a server that root starts is elsewhere.
  if (!(await exists(copiedCluster))) await copy(cluster, copiedCluster);
  const pid = await requirePostmasterId(scratch.dataFolder);
  const evidence = await readFile(join(copiedCluster, 'postmaster.pid'), 'utf8');
  await expect(startEmbeddedPostgres(copied)).rejects.toThrow(
    `the data folder ${copied.dataFolder} was copied or moved while in use: PostgreSQL is running in ${cluster} ` +
      `(process ${pid}); stop that server, and copy the folder again`,
  );
  expect(await readFile(join(copiedCluster, 'postmaster.pid'), 'utf8')).toBe(evidence);
  expect(await query(original.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await original.stop();
  await using started = await startEmbeddedPostgres(copied);
  expect(await query(started.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('exactly one of two starts in the same process wins', async () => {
  const starts = await Promise.allSettled([startEmbeddedPostgres(scratch), startEmbeddedPostgres(scratch)]);
  try {
    const refused = starts.filter((start) => start.status === 'rejected');
    expect(refused.map((start) => String(start.reason.message))).toEqual([expect.stringMatching(refusal)]);
  } finally {
    for (const start of starts) if (start.status === 'fulfilled') await start.value.stop();
  }
});

test('a start that begins during a stop waits for it and then succeeds', async () => {
  const first = await startEmbeddedPostgres(scratch);
  const stopping = first.stop();
  await using second = await startEmbeddedPostgres(scratch);
  await stopping;
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});
