import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDatabase } from '../../src/cli/checks/database.ts';
import { hasCluster } from '../../src/embedded/living-postgres.ts';
import { findPlace, isThere } from '../../src/embedded/place.ts';
import { readPostmasterFile } from '../../src/embedded/postmaster.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { StartProblem } from '../../src/runtime/start-problem.ts';
import { waitFor } from '../wait-for.ts';
import {
  findClusterFolder,
  findProcessesOf,
  makeScratch,
  query,
  removeDataFolder,
  requireProcess,
  type Scratch,
} from './scratch.ts';
import { startServerProcess } from './server-process.ts';

/** A data folder with a database, for tests that are not about the making of one: each leaves it as it was. */
let made: Scratch;

beforeAll(async () => {
  made = await makeScratch();
  await (await startEmbeddedPostgres(made)).stop();
});

afterAll(() => made[Symbol.asyncDispose]());

describe('a bundled PostgreSQL', () => {
  test('keeps its data over a stop and a start, and leaves nothing running between them', async () => {
    await using scratch = await makeScratch();
    const first = await startEmbeddedPostgres(scratch);
    await query(first.connection, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await findProcessesOf(await findClusterFolder(scratch.dataFolder))).toEqual([]);
    await expect(stat(first.connection.host)).rejects.toThrow('ENOENT');

    await using second = await startEmbeddedPostgres(scratch);
    expect(await query(second.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    expect(second.connection.password).toBe(first.connection.password);
  });

  test('whose database cannot be made is one line, and leaves nothing running', async () => {
    await using scratch = await makeScratch();
    const { connection, stop } = await startEmbeddedPostgres(scratch);
    const maintenance = { ...connection, database: 'postgres' };
    await query(maintenance, `drop database ${connection.database} with (force)`);
    await query(maintenance, 'alter database template1 rename to template_gone');
    await stop();
    const starting = startEmbeddedPostgres(scratch);
    await expect(starting).rejects.toThrow(StartProblem);
    await expect(starting).rejects.toThrow(
      /^the bundled PostgreSQL did not start: its database cannot be made: template database "template1" .*\(log: .*\)$/,
    );
    expect(await findProcessesOf(await findClusterFolder(scratch.dataFolder))).toEqual([]);
  });

  test('is durable, in UTC and UTF-8, and listens on nothing but a socket that only its account can reach', async () => {
    // As a server starts it, which says nothing of durability.
    const { dataFolder } = made;
    await using postgres = await startEmbeddedPostgres({ dataFolder });
    const names = [
      'fsync',
      'full_page_writes',
      'synchronous_commit',
      'wal_level',
      'timezone',
      'server_encoding',
    ];
    const [settings] = await query(
      postgres.connection,
      `select ${names.map((name) => `current_setting('${name}') as ${name}`).join()},
        current_setting('listen_addresses') as tcp, current_setting('data_checksums') as checksums`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      wal_level: 'replica',
      timezone: 'UTC',
      server_encoding: 'UTF8',
      tcp: '',
      checksums: 'on',
    });
    expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
    const methods = await query(postgres.connection, 'select distinct auth_method from pg_hba_file_rules');
    expect(methods).toEqual([{ auth_method: 'scram-sha-256' }]);
  });

  test('lets nobody in without the password, which stands in a file of mode 0600 and in no log', async () => {
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

  test("sees nothing of the server's environment", async () => {
    const env = { DATABASE_URL: 'postgres://elsewhere', OPENTILL_OPERATOR_KEY: 'secret' };
    await using server = startServerProcess({ ...made, env });
    await server.ready();
    const cluster = await findClusterFolder(made.dataFolder);
    const postmaster = await readPostmasterFile(cluster);
    for (const pid of [postmaster?.pid, await requireProcess(cluster, 'watcher')]) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(environment).toContain('LC_ALL=C');
      expect(environment).not.toMatch(/DATABASE_URL|OPENTILL|elsewhere|secret/);
    }
  });

  test('starts in a data folder whose path is deeper than a socket path may be', async () => {
    await using scratch = await makeScratch();
    const dataFolder = join(scratch.path, 'deep folder, "quoted"/'.repeat(8));
    await using deep = { ...scratch, dataFolder, [Symbol.asyncDispose]: () => removeDataFolder(dataFolder) };
    await using postgres = await startEmbeddedPostgres(deep);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('starts although the number in a stale postmaster.pid is now that of another process', async () => {
    const cluster = await findClusterFolder(made.dataFolder);
    await writeFile(join(cluster, 'postmaster.pid'), `${process.ppid}\n${cluster}\n1\n5432\n/nowhere\n\n`);
    await using postgres = await startEmbeddedPostgres(made);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('a look whether there is a database makes nothing', async () => {
  await using scratch = await makeScratch();
  await mkdir(scratch.dataFolder);
  expect(await hasCluster(scratch.dataFolder)).toBe(false);
  expect(await readdir(scratch.dataFolder)).toEqual([]);
  const { base, dataFolder } = await findPlace(scratch.dataFolder);
  expect(await isThere(base)).toBe(base === dataFolder);
});

describe('a start that is broken off', () => {
  test('in the midst of making the database leaves nothing half-made to the next one', async () => {
    await using scratch = await makeScratch();
    const server = startServerProcess(scratch);
    const drafts = async () => {
      const base = join(await findClusterFolder(scratch.dataFolder), '..');
      const names = (await isThere(base)) ? await readdir(base) : [];
      return names.filter((name) => name.startsWith('.draft-'));
    };
    await waitFor(async () => (await drafts()).length > 0, { deadlineMs: 5_000, what: 'an initdb at work' });
    server.signal('SIGKILL');
    await server.ended();
    expect(await drafts()).not.toEqual([]);

    await using postgres = await startEmbeddedPostgres(scratch);
    expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await drafts()).toEqual([]);
  });

  test('by its signal rejects with the reason and leaves nothing running', async () => {
    await using scratch = await makeScratch();
    const controller = new AbortController();
    const starting = startEmbeddedPostgres({ ...scratch, signal: controller.signal });
    const cluster = await waitFor(
      async () => {
        const folder = await findClusterFolder(scratch.dataFolder);
        return (await findProcessesOf(folder)).length > 0 && folder;
      },
      { deadlineMs: 10_000, what: 'a watcher' },
    );
    controller.abort(new Error('called off'));
    await expect(starting).rejects.toThrow('called off');
    expect(await findProcessesOf(cluster)).toEqual([]);
  });
});

describe('a start that cannot be is one clear line', () => {
  test('for a data folder that is a file, or below one', async () => {
    await using scratch = await makeScratch();
    const file = join(scratch.path, 'file');
    await writeFile(file, '');
    for (const dataFolder of [file, join(file, 'below')]) {
      const problem = await problemOf(startEmbeddedPostgres({ dataFolder }));
      expect(problem).toMatch(/^the data folder .*file.* cannot be used: .*not a folder \(E\w+\)$/);
    }
  });

  test('for the data of another major version, naming `opentill export`', async () => {
    const version = join(await findClusterFolder(made.dataFolder), 'PG_VERSION');
    await writeFile(version, '17\n');
    const problem = await problemOf(startEmbeddedPostgres(made));
    await writeFile(version, '18\n');
    expect(problem).toMatch(/was made by PostgreSQL 17 and this OpenTill brings 18: run `opentill export`/);
  });

  test('for a password that is missing or of other data', async () => {
    const file = join(made.dataFolder, 'postgres.password');
    const password = await readFile(file);
    await writeFile(file, 'of another folder');
    expect(await problemOf(startEmbeddedPostgres(made))).toContain('does not take the password');
    await rm(file);
    expect(await problemOf(startEmbeddedPostgres(made))).toContain('postgres.password is missing');
    await writeFile(file, password, { mode: 0o600 });
  });

  test.each(['of this version', 'of a version that left no mark'])(
    'for a data folder %s whose database is gone, at the start and by the doctor, and puts nothing in its place',
    async (version) => {
      if (version !== 'of this version') {
        await rm(join(made.dataFolder, 'postgres.made'));
        await (await startEmbeddedPostgres(made)).stop();
      }
      const cluster = await findClusterFolder(made.dataFolder);
      await rename(cluster, `${cluster}.elsewhere`);
      const problem = await problemOf(startEmbeddedPostgres(made));
      const store = { environment: 'sandbox', databaseUrl: undefined, dataFolder: made.dataFolder } as const;
      const checked = await checkDatabase(store, systemClock);
      expect(await isThere(cluster)).toBe(false);
      await rename(`${cluster}.elsewhere`, cluster);
      expect(problem).toBe(
        `${cluster} is missing, the database of the data folder ${made.dataFolder}: put it back or mount its ` +
          'disk, or give OpenTill a new data folder for an empty database',
      );
      expect(checked).toEqual([{ name: 'database', verdict: 'failed', detail: problem }]);
      await using postgres = await startEmbeddedPostgres(made);
      expect(await query(postgres.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    },
  );

  test('for a data folder that was moved away from its database, which as root lies elsewhere', async () => {
    const [cluster, moved] = [await findClusterFolder(made.dataFolder), `${made.dataFolder}-moved`];
    const isElsewhere = !cluster.startsWith(made.dataFolder);
    await rm(join(made.dataFolder, 'postgres.made'));
    await rename(made.dataFolder, moved);
    const start = startEmbeddedPostgres({ dataFolder: moved });
    if (isElsewhere) {
      expect(await problemOf(start)).toContain(`lies in ${cluster}, for another path`);
      // Nothing but a folder was made for the new path.
      await rmdir((await findPlace(moved)).base);
    } else await (await start).stop();
    await rename(moved, made.dataFolder);
    await (await startEmbeddedPostgres(made)).stop();
  });

  test('for data that PostgreSQL cannot read, with the last line and the path of its log', async () => {
    const control = join(await findClusterFolder(made.dataFolder), 'global', 'pg_control');
    const content = await readFile(control);
    await writeFile(control, 'nonsense');
    const problem = await problemOf(startEmbeddedPostgres(made));
    await writeFile(control, content);
    expect(problem).toMatch(/^the bundled PostgreSQL did not start: .*pg_control.*\(log: .*postgres\.log\)$/);
  });
});

async function problemOf(starting: Promise<AsyncDisposable>): Promise<string> {
  const error = await starting.then(
    async (postgres) => await postgres[Symbol.asyncDispose](),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartProblem);
  const { message } = error as StartProblem;
  expect(message).not.toContain('\n');
  return message;
}
