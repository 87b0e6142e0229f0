// Several servers on one data folder.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findClusterFolder, makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { exists } from '../../src/runtime/files.ts';
import { startServerProcess } from './server-process.ts';

const refusal = /^another OpenTill server is running on the data folder /;

/** Empty in the first test; the others use its data. */
const scratch = await useForFile(makeScratch());

test('exactly one of three servers that start at the same time wins, on a new data folder and on an existing one', async () => {
  for (const round of ['new', 'old']) {
    const servers = [startServerProcess(scratch), startServerProcess(scratch), startServerProcess(scratch)];
    const outcomes = await Promise.all(servers.map((server) => server.outcome()));
    const losers = outcomes.filter((outcome) => outcome !== 'ready');
    expect(losers, round).toHaveLength(2);
    for (const loser of losers) expect(loser).toMatch(refusal);
    const winner = servers[outcomes.indexOf('ready')];
    expect(await query((await winner?.ready()) ?? {}, 'select 1 as one')).toEqual([{ one: 1 }]);
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

test('a copy of a data folder in use is refused in one line that names both folders, and starts when the original has stopped', async () => {
  const original = await startEmbeddedPostgres(scratch);
  await using copied = await makeScratch();
  const copy = (from: string, to: string) => promisify(execFile)('cp', ['-aT', from, to]);
  const cluster = await findClusterFolder(scratch.dataFolder);
  await copy(scratch.dataFolder, copied.dataFolder);
  const copiedCluster = await findClusterFolder(copied.dataFolder);
  // The database of a server that root starts is elsewhere.
  if (!(await exists(copiedCluster))) await copy(join(cluster, '..'), join(copiedCluster, '..'));
  await expect(startEmbeddedPostgres(copied)).rejects.toThrow(
    `the data folder ${copied.dataFolder} was copied or moved while in use: PostgreSQL is running in ${cluster} `,
  );
  expect(await query(original.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await original.stop();
  await using started = await startEmbeddedPostgres(copied);
  expect(await query(started.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a start that begins during a stop waits for it and then succeeds', async () => {
  const first = await startEmbeddedPostgres(scratch);
  const stopping = first.stop();
  await using second = await startEmbeddedPostgres(scratch);
  await stopping;
  expect(await query(second.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
});
