// The bundled PostgreSQL after kill -9 of its server, its watcher or itself.

import { expect, test } from 'vitest';
import {
  findClusterFolder,
  findProcessesOf,
  makeScratch,
  requirePostmasterId,
  requireWatcher,
} from '../../../../test/support/embedded/scratch.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { queryOnce } from '../../../../test/support/query.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** Shared by all tests: each one continues with the data of the one before. */
const scratch = await useForFile(makeScratch());
const cluster = await createTable();

/** The number of rows acknowledged to the servers of all tests so far, none of which may be missing. */
let acknowledged = 0;

async function createTable(): Promise<string> {
  await using postgres = await startEmbeddedPostgres(scratch);
  await queryOnce(postgres.connection, 'create table acknowledged (n serial primary key)');
  return findClusterFolder(scratch.dataFolder);
}

test('after kill -9 of the server its PostgreSQL ends, and the next start has every acknowledged row', async () => {
  await using server = await startWriting();
  await kill(server);
  await waitFor(() => findProcessesOf(cluster).length === 0, { what: `nothing running on ${cluster}` });
  await expectAcknowledgedRows();
});

test('a start right after kill -9 of the server waits for its PostgreSQL and has every acknowledged row', async () => {
  await using server = await startWriting();
  await kill(server);
  await expectAcknowledgedRows();
});

test('after kill -9 of watcher and server, a start stops the orphaned PostgreSQL and has every acknowledged row', async () => {
  await using server = await startWriting();
  const orphan = await requirePostmasterId(scratch.dataFolder);
  process.kill(requireWatcher(cluster), 'SIGKILL');
  await kill(server);
  expect(findProcessesOf(cluster)).toContain(orphan);
  await expectAcknowledgedRows();
  expect(findProcessesOf(cluster)).not.toContain(orphan);
});

test.each(['postmaster', 'backend', 'watcher'])(
  'after kill -9 of the %s the server learns that PostgreSQL has ended, and the next start has every acknowledged row',
  async (kind) => {
    await using postgres = await startEmbeddedPostgres(scratch);
    const [backend] = await queryOnce(
      postgres.connection,
      `select pid from pg_stat_activity where application_name = 'opentill-server-lock'`,
    );
    const pids = {
      postmaster: await requirePostmasterId(scratch.dataFolder),
      backend: Number(backend?.['pid']),
      watcher: requireWatcher(cluster),
    };
    process.kill(pids[kind as keyof typeof pids], 'SIGKILL');
    await postgres.ended;
    await postgres.stop();
    await waitFor(() => findProcessesOf(cluster).length === 0, { what: `nothing running on ${cluster}` });
    await expectAcknowledgedRows();
  },
);

test('Ctrl-C ends neither PostgreSQL nor its watcher before the server stops them', async () => {
  await using server = startServerProcess({ ...scratch, task: 'ignore interrupts' });
  const connection = await server.ready();
  const before = requireWatcher(cluster);
  server.signalGroup('SIGINT');
  process.kill(before, 'SIGTERM');
  expect(await queryOnce(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(requireWatcher(cluster)).toBe(before);
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  expect(findProcessesOf(cluster)).toEqual([]);
});

/** A server that writes rows, some of which it has acknowledged. */
async function startWriting(): Promise<ServerProcess> {
  const server = startServerProcess({ ...scratch, task: 'write' });
  await server.ready();
  await waitFor(() => server.acknowledged() >= 20, { what: 'acknowledged rows' });
  return server;
}

async function kill(server: ServerProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.ended();
  acknowledged += server.acknowledged();
}

async function expectAcknowledgedRows(): Promise<void> {
  await using postgres = await startEmbeddedPostgres(scratch);
  const [row] = await queryOnce(postgres.connection, 'select count(*)::int as rows from acknowledged');
  expect(acknowledged).toBeGreaterThan(0);
  expect(row?.['rows']).toBeGreaterThanOrEqual(acknowledged);
}
