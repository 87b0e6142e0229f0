import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findClusterFolder,
  findProcessesOf,
  makeScratch,
  removeDataFolder,
  requirePostmasterId,
  requireWatcher,
} from '../../../../test/support/embedded/scratch.ts';
import { useForFile } from '../../../../test/support/harness.ts';
import { query } from '../../../../test/support/query.ts';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { readStoreConfig } from '../../src/config/config.ts';
import { findDataFolder } from '../../src/embedded/data-folder.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { checkDatabase } from '../../src/program/commands/doctor.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { exists } from '../../src/runtime/files.ts';
import { problemOf } from '../start/problem-of.ts';
import { startServerProcess } from './server-process.ts';

/** A data folder with a database; each test leaves it unchanged. */
const made = await useForFile(makeScratch());
await (await startEmbeddedPostgres(made)).stop();

describe('the bundled PostgreSQL', () => {
  test('a stop leaves nothing running, and the next start has the data of the one before', async () => {
    await using scratch = await makeScratch();
    const first = await startEmbeddedPostgres(scratch);
    await query(first.connection, 'create table kept as select 42 as answer');
    await first.stop();
    expect(findProcessesOf(await findClusterFolder(scratch.dataFolder))).toEqual([]);
    await expect(stat(first.connection.host)).rejects.toThrow('ENOENT');

    await using second = await startEmbeddedPostgres(scratch);
    expect(await query(second.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(second.connection.password).toBe(first.connection.password);
  });

  test('PostgreSQL is durable, uses UTC and UTF-8, and listens only on a socket that only its account can reach', async () => {
    // Without isDurable, as a server starts it.
    const { dataFolder } = made;
    await using postgres = await startEmbeddedPostgres({ dataFolder });
    const expected = {
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      wal_level: 'replica',
      timezone: 'UTC',
      server_encoding: 'UTF8',
      listen_addresses: '',
      data_checksums: 'on',
    };
    const settings = Object.keys(expected).map((name) => `current_setting('${name}') as ${name}`);
    expect(await query(postgres.connection, `select ${settings.join()}`)).toEqual([expected]);
    expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
    const methods = await query(postgres.connection, 'select distinct auth_method from pg_hba_file_rules');
    expect(methods).toEqual([{ auth_method: 'scram-sha-256' }]);
  });

  test('a connection needs the password, which is in a file of mode 0600 and not in the log', async () => {
    await using postgres = await startEmbeddedPostgres(made);
    const { password } = postgres.connection;
    expect(Buffer.from(password, 'base64url')).toHaveLength(32);
    await expect(query({ ...postgres.connection, password: 'guess' }, 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
    await expect(query(postgres.connection, `create role opentill password '${password}'`)).rejects.toThrow(
      'exists',
    );
    const file = join(made.dataFolder, 'postgres.password');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(made.dataFolder, 'postgres.log'), 'utf8')).not.toContain(password);
    expect((await stat(await findClusterFolder(made.dataFolder))).mode & 0o777).toBe(0o700);
  });

  test("PostgreSQL and its watcher see nothing of the server's environment", async () => {
    const env = { DATABASE_URL: 'postgres://elsewhere', OPENTILL_OPERATOR_KEY: 'secret' };
    await using server = startServerProcess({ ...made, env });
    await server.ready();
    const cluster = await findClusterFolder(made.dataFolder);
    const postmaster = await requirePostmasterId(made.dataFolder);
    for (const pid of [postmaster, requireWatcher(cluster)]) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(environment).toContain('LC_ALL=C');
      expect(environment).not.toMatch(/DATABASE_URL|OPENTILL|elsewhere|secret/);
    }
  });

  test('PostgreSQL starts in a data folder whose path is too long for a socket', async () => {
    await using scratch = await makeScratch();
    const dataFolder = join(scratch.path, 'deep folder, "quoted"/'.repeat(8));
    await using deep = { ...scratch, dataFolder, [Symbol.asyncDispose]: () => removeDataFolder(dataFolder) };
    await using postgres = await startEmbeddedPostgres(deep);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('PostgreSQL starts although the number in an old postmaster.pid now belongs to another process', async () => {
    const cluster = await findClusterFolder(made.dataFolder);
    await writeFile(join(cluster, 'postmaster.pid'), `${process.ppid}\n${cluster}\n1\n5432\n/nowhere\n\n`);
    await using postgres = await startEmbeddedPostgres(made);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('a start after kill -9 during initdb works and removes what the killed one left', async () => {
  await using scratch = await makeScratch();
  const server = startServerProcess(scratch);
  const drafts = async () => {
    const base = join(await findClusterFolder(scratch.dataFolder), '..');
    const names = (await exists(base)) ? await readdir(base) : [];
    return names.filter((name) => name.startsWith('.draft-'));
  };
  await waitFor(async () => (await drafts()).length > 0, { what: 'an initdb at work' });
  server.signal('SIGKILL');
  await server.ended();
  expect(await drafts()).not.toEqual([]);

  await using postgres = await startEmbeddedPostgres(scratch);
  expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await drafts()).toEqual([]);
});

describe('a failing start', () => {
  test('data of another major version is reported in one line that mentions `opentill export`', async () => {
    const version = join(await findClusterFolder(made.dataFolder), 'PG_VERSION');
    await writeFile(version, '17\n');
    const problem = await problemOf(startEmbeddedPostgres(made));
    await writeFile(version, '18\n');
    expect(problem).toMatch(
      /was created by PostgreSQL 17, but this OpenTill includes PostgreSQL 18: run `opentill export`/,
    );
  });

  test('a missing database is reported by the start and by the doctor, and not replaced by an empty one', async () => {
    const cluster = await findClusterFolder(made.dataFolder);
    await rename(cluster, `${cluster}.elsewhere`);
    const problem = await problemOf(startEmbeddedPostgres(made));
    const store = readStoreConfig({ OPENTILL_DATA_DIR: made.dataFolder });
    const checked = await checkDatabase(store, systemClock);
    expect(await exists(cluster)).toBe(false);
    await rename(`${cluster}.elsewhere`, cluster);
    expect(problem).toContain(
      `${cluster} is missing, the database of the data folder ${made.dataFolder}, which was created in ${cluster}: restore it`,
    );
    expect(checked).toEqual([{ name: 'database', verdict: 'failed', detail: problem }]);
    await using postgres = await startEmbeddedPostgres(made);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a data folder that was moved away from its database, as is possible for root, is reported in one line', async () => {
    const [cluster, moved] = [await findClusterFolder(made.dataFolder), `${made.dataFolder}-moved`];
    const isElsewhere = !cluster.startsWith(made.dataFolder);
    await rename(made.dataFolder, moved);
    const start = startEmbeddedPostgres({ dataFolder: moved });
    if (isElsewhere) {
      expect(await problemOf(start)).toContain(`which was created in ${cluster}: `);
      // Only an empty folder was created for the new path.
      await rmdir((await findDataFolder(moved)).base);
    } else await (await start).stop();
    await rename(moved, made.dataFolder);
    await (await startEmbeddedPostgres(made)).stop();
  });

  test('a data folder that was removed and created again starts empty, and the old database is moved away', async () => {
    await using scratch = await makeScratch();
    await (await startEmbeddedPostgres(scratch)).stop();
    const cluster = await findClusterFolder(scratch.dataFolder);
    const isElsewhere = !cluster.startsWith(scratch.dataFolder);
    await rm(scratch.dataFolder, { recursive: true });
    await using postgres = await startEmbeddedPostgres(scratch);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    const moved = (await readdir(dirname(cluster))).filter((name) => name.startsWith('postgres.foreign-'));
    expect(moved).toHaveLength(isElsewhere ? 1 : 0);
  });
});
