// The bundled PostgreSQL after kill -9 of its server, its watcher, its guard or itself.

import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { waitFor } from '../wait-for.ts';
import {
  findClusterFolder,
  findProcess,
  findProcessesOf,
  makeScratch,
  queryAnew,
  requirePostmasterId,
  requireProcess,
  type Scratch,
} from './scratch.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** The guarantee after a kill of the server. */
const goneWithinMs = 5_000;

/** A recovery takes 300 ms, and longer while other tests run. */
const recoveredWithinMs = 10_000;

/** Shared by all tests: each one continues with the data of the one before. */
let scratch: Scratch;

/** The number of rows acknowledged to the servers of all tests so far, none of which may be missing. */
let acknowledged = 0;

beforeAll(async () => {
  scratch = await makeScratch();
  await using postgres = await startEmbeddedPostgres(scratch);
  await queryAnew(postgres.connection, 'create table kept as select 42 as answer');
  await queryAnew(postgres.connection, 'create table acknowledged (n serial primary key)');
});

afterAll(() => scratch[Symbol.asyncDispose]());

describe('after kill -9 of the server', () => {
  test('after kill -9 of the server nothing runs 5 seconds later, and the next start has every acknowledged row', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 100);
    await kill(server);
    await nothingLeft(scratch.dataFolder);

    await using postgres = await startEmbeddedPostgres(scratch);
    await expectAcknowledgedRows(postgres.connection);
  });

  test('kill -9 of the watcher and the server leaves nothing running after 5 seconds', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 10);
    process.kill(requireProcess(await findClusterFolder(scratch.dataFolder), 'watcher'), 'SIGKILL');
    await kill(server);
    await nothingLeft(scratch.dataFolder);
  });

  test('after kill -9 of guard, watcher and server, a start stops the orphaned PostgreSQL and has every acknowledged row', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 10);
    const cluster = await findClusterFolder(scratch.dataFolder);
    const orphan = await requirePostmasterId(scratch.dataFolder);
    // The guard first, since it stops PostgreSQL when the watcher ends.
    for (const kind of ['guard', 'watcher'] as const) process.kill(requireProcess(cluster, kind), 'SIGKILL');
    await kill(server);
    expect(findProcessesOf(cluster)).toContain(orphan);

    await using postgres = await startEmbeddedPostgres(scratch);
    expect(findProcessesOf(cluster)).not.toContain(orphan);
    await expectAcknowledgedRows(postgres.connection);
  });
});

describe('while the server is running', () => {
  test('the database recovers from a kill of the postmaster, and the server holds its lock again', async () => {
    await using postgres = await startEmbeddedPostgres(scratch);
    const killed = await requirePostmasterId(scratch.dataFolder);
    process.kill(killed, 'SIGKILL');
    await recovered(postgres.connection);
    expect(await requirePostmasterId(scratch.dataFolder)).not.toBe(killed);
    await lockIsHeld(postgres.connection);
  });

  test('the database recovers from a kill of a backend, and the server holds its lock again', async () => {
    await using postgres = await startEmbeddedPostgres(scratch);
    const [backend] = await queryAnew(
      postgres.connection,
      `select pid from pg_stat_activity where datname = 'postgres'`,
    );
    process.kill(Number(backend?.['pid']), 'SIGKILL');
    await recovered(postgres.connection);
    await lockIsHeld(postgres.connection);
  });

  test.each(['', ' although the disk of its log is full'])(
    'the database recovers from a kill of the watcher%s',
    async (circumstance) => {
      const log = join(scratch.dataFolder, 'postgres.log');
      await rm(log, { force: true });
      onTestFinished(() => rm(log, { force: true }));
      if (circumstance !== '') await symlink('/dev/full', log);
      await using postgres = await startEmbeddedPostgres(scratch);
      const cluster = await findClusterFolder(scratch.dataFolder);
      const killed = requireProcess(cluster, 'watcher');
      process.kill(killed, 'SIGKILL');
      await waitFor(
        async () => {
          const found = findProcess(cluster, 'watcher');
          return found !== killed && found;
        },
        { deadlineMs: recoveredWithinMs, what: 'another watcher' },
      );
      await recovered(postgres.connection);
      await lockIsHeld(postgres.connection);
      await postgres.stop();
      await nothingLeft(scratch.dataFolder);
    },
  );
});

test('Ctrl-C ends neither PostgreSQL nor its watcher before the server stops them', async () => {
  await using server = startServerProcess({ ...scratch, task: 'ignore interrupts' });
  const connection = await server.ready();
  const cluster = await findClusterFolder(scratch.dataFolder);
  const before = requireProcess(cluster, 'watcher');
  server.signalGroup('SIGINT');
  process.kill(before, 'SIGTERM');
  expect(await queryAnew(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(requireProcess(cluster, 'watcher')).toBe(before);
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  expect(findProcessesOf(cluster)).toEqual([]);
});

async function kill(server: ServerProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.ended();
  acknowledged += server.acknowledged();
}

async function expectAcknowledgedRows(connection: object): Promise<void> {
  const [row] = await queryAnew(connection, 'select count(*)::int as rows from acknowledged');
  expect(acknowledged).toBeGreaterThan(0);
  expect(row?.['rows']).toBeGreaterThanOrEqual(acknowledged);
}

async function rowsAcknowledged(server: ServerProcess, rows: number): Promise<void> {
  await server.ready();
  await waitFor(() => server.acknowledged() >= rows, {
    deadlineMs: 10_000,
    what: `${rows} acknowledged rows`,
  });
}

async function nothingLeft(dataFolder: string): Promise<void> {
  const cluster = await findClusterFolder(dataFolder);
  await waitFor(async () => findProcessesOf(cluster).length === 0, {
    deadlineMs: goneWithinMs,
    what: `nothing running on ${cluster}`,
  });
}

/** Waits until PostgreSQL answers; after a timeout, the last error says why it did not. */
async function recovered(connection: object): Promise<void> {
  let failure: unknown;
  const answer = await waitFor(
    async () => {
      try {
        return await queryAnew(connection, 'select answer from kept');
      } catch (error) {
        failure = error;
        return undefined;
      }
    },
    { deadlineMs: recoveredWithinMs, what: 'an answer of the recovered PostgreSQL' },
  ).catch((timeout: unknown) => Promise.reject(new AggregateError([timeout, failure], String(failure))));
  expect(answer).toEqual([{ answer: 42 }]);
}

/** Polls, since PostgreSQL may notice the death of a backend only after it has answered. */
async function lockIsHeld(connection: object): Promise<void> {
  const locks = `select 1 from pg_locks where locktype = 'advisory' and granted`;
  await waitFor(
    async () => {
      try {
        return (await queryAnew(connection, locks)).length === 1;
      } catch {
        return false;
      }
    },
    { deadlineMs: recoveredWithinMs, what: "the server's lock" },
  );
}
