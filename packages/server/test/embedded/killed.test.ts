import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPostmasterFile } from '../../src/embedded/postmaster.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { waitFor } from '../wait-for.ts';
import {
  findClusterFolder,
  findProcess,
  findProcessesOf,
  makeScratch,
  queryAnew,
  requireProcess,
  type Scratch,
} from './scratch.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** What the design promises after a kill of the server. */
const goneWithinMs = 5_000;

/** Recoveries take some 300 ms; the rest is for a machine that is busy with other tests. */
const recoveredWithinMs = 10_000;

/** One data folder for all of them: each test finds it as the one before has left it. */
let scratch: Scratch;

/** The rows that were acknowledged to the servers of all tests so far: none may be missing. */
let acknowledged = 0;

beforeAll(async () => {
  scratch = await makeScratch();
  await using postgres = await startEmbeddedPostgres(scratch);
  await queryAnew(postgres.connection, 'create table kept as select 42 as answer');
  await queryAnew(postgres.connection, 'create table acknowledged (n serial primary key)');
});

afterAll(() => scratch[Symbol.asyncDispose]());

describe('after kill -9 of the server', () => {
  test('nothing is left running within 5 seconds, and every acknowledged row is there at the next start', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 100);
    await kill(server);
    await nothingLeft(scratch.dataFolder);

    await using postgres = await startEmbeddedPostgres(scratch);
    await expectAcknowledgedRows(postgres.connection);
  });

  test('the next start works at once, several times over, and has lost nothing', async () => {
    for (let round = 0; round < 3; round += 1) {
      await using server = startServerProcess({ ...scratch, task: 'write' });
      await expectAcknowledgedRows(await server.ready());
      await rowsAcknowledged(server, 50);
      await kill(server);
    }
  });

  test('and of its watcher with it, nothing is left either', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 10);
    process.kill(await requireProcess(await findClusterFolder(scratch.dataFolder), 'watcher'), 'SIGKILL');
    await kill(server);
    await nothingLeft(scratch.dataFolder);
  });

  test('and of all that watches, a start finds the orphaned PostgreSQL, stops it and has lost nothing', async () => {
    await using server = startServerProcess({ ...scratch, task: 'write' });
    await rowsAcknowledged(server, 10);
    const cluster = await findClusterFolder(scratch.dataFolder);
    const orphan = await findPostmasterId(scratch.dataFolder);
    // The guard first: it would stop PostgreSQL when the watcher goes.
    for (const kind of ['guard', 'watcher'] as const)
      process.kill(await requireProcess(cluster, kind), 'SIGKILL');
    await kill(server);
    expect(await findProcessesOf(cluster)).toContain(orphan);

    await using postgres = await startEmbeddedPostgres(scratch);
    expect(await findProcessesOf(cluster)).not.toContain(orphan);
    await expectAcknowledgedRows(postgres.connection);
  });
});

describe('while the server lives, it recovers by itself and has lost nothing after kill -9 of', () => {
  test('the postmaster, time and again', async () => {
    await using postgres = await startEmbeddedPostgres(scratch);
    for (let round = 0; round < 3; round += 1) {
      const killed = await findPostmasterId(scratch.dataFolder);
      process.kill(killed, 'SIGKILL');
      await recovered(postgres.connection);
      expect(await findPostmasterId(scratch.dataFolder)).not.toBe(killed);
    }
    await lockIsHeld(postgres.connection);
  });

  test('a backend', async () => {
    await using postgres = await startEmbeddedPostgres(scratch);
    const [backend] = await queryAnew(
      postgres.connection,
      `select pid from pg_stat_activity where datname = 'postgres'`,
    );
    process.kill(Number(backend?.['pid']), 'SIGKILL');
    await recovered(postgres.connection);
    await lockIsHeld(postgres.connection);
  });

  test.each(['', ', while there is no room for its log'])('the watcher%s', async (circumstance) => {
    const log = join(scratch.dataFolder, 'postgres.log');
    await rm(log, { force: true });
    onTestFinished(() => rm(log, { force: true }));
    if (circumstance !== '') await symlink('/dev/full', log);
    await using postgres = await startEmbeddedPostgres(scratch);
    const cluster = await findClusterFolder(scratch.dataFolder);
    const killed = await requireProcess(cluster, 'watcher');
    process.kill(killed, 'SIGKILL');
    await waitFor(
      async () => {
        const found = await findProcess(cluster, 'watcher');
        return found !== killed && found;
      },
      { deadlineMs: recoveredWithinMs, what: 'another watcher' },
    );
    await recovered(postgres.connection);
    await lockIsHeld(postgres.connection);
    await postgres.stop();
    await nothingLeft(scratch.dataFolder);
  });
});

test('Ctrl-C leaves PostgreSQL to the server until that stops it', async () => {
  await using server = startServerProcess({ ...scratch, task: 'ignore interrupts' });
  const connection = await server.ready();
  const cluster = await findClusterFolder(scratch.dataFolder);
  const before = await requireProcess(cluster, 'watcher');
  server.signalGroup('SIGINT');
  process.kill(before, 'SIGTERM');
  expect(await queryAnew(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await requireProcess(cluster, 'watcher')).toBe(before);
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  expect(await findProcessesOf(cluster)).toEqual([]);
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
  await waitFor(async () => (await findProcessesOf(cluster)).length === 0, {
    deadlineMs: goneWithinMs,
    what: `nothing running on ${cluster}`,
  });
}

async function findPostmasterId(dataFolder: string): Promise<number> {
  const file = await readPostmasterFile(await findClusterFolder(dataFolder));
  if (file === undefined) throw new Error('no postmaster');
  return file.pid;
}

/** Waits through the errors of a PostgreSQL that is away; the last of them tells what went wrong. */
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

/** Of a backend's death PostgreSQL may not know yet: an answer from before the recovery is none of after it. */
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
