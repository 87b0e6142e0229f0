import { chmod, chown, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, isRoot, requireUnprivilegedAccount } from '../../src/embedded/data-folder.ts';
import { type CheckoutCopy, copyCheckout } from './checkout-copy.ts';
import { makeScratch, query, type Scratch } from './scratch.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

test('root can start a server twice from a checkout in a folder of mode 0700, and PostgreSQL never runs as root', async () => {
  await using scratch = await makeScratch();
  expect((await stat(scratch.path)).mode & 0o777).toBe(0o700);
  const checkout = await copyCheckout(join(scratch.path, 'checkout'));
  for (const answer of [1, 2]) {
    await using server = startServerProcess({ ...scratch, ...checkout });
    const connection = await server.ready();
    // The socket's folder belongs to the account that PostgreSQL runs as.
    expect((await stat(connection.host)).uid).not.toBe(0);
    await query(connection, `create table kept_${answer} as select 1`);
    expect(await query(connection, `select 1 from pg_tables where tablename like 'kept%'`)).toHaveLength(
      answer,
    );
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
  }
});

test('an incomplete installation is reported in one line', async () => {
  await using scratch = await makeScratch();
  const checkout = await copyCheckout(join(scratch.path, 'checkout'));
  await rm(join(checkout.native, 'share/postgresql/postgres.bki'));
  await using broken = startServerProcess({ ...scratch, ...checkout });
  expect(await broken.problem()).toMatch(
    /^the database could not be created: initdb: error: .*postgres\.bki.* \(log: .*postgres\.log\)$/,
  );
  await broken.ended();
  await rm(join(checkout.native, 'lib/libicuuc.so.60.2'));
  // Without the copy of the programs that the start above has made for another account.
  await using empty = await makeScratch();
  await using unable = startServerProcess({ ...empty, ...checkout });
  expect(await unable.problem()).toMatch(
    /^the bundled PostgreSQL cannot run: .*libicuuc\.so\.60.* \(install .* or set DATABASE_URL\)$/,
  );
  await unable.ended();
  await rm(dirname(checkout.native), { recursive: true });
  await using missing = startServerProcess({ ...scratch, ...checkout });
  expect(await missing.problem()).toMatch(/^no bundled PostgreSQL for .*: install .* or set DATABASE_URL$/);
});

describe('as an ordinary user', () => {
  let scratch: Scratch;
  let user: User;

  beforeAll(async () => {
    scratch = await makeScratch();
    user = await makeUser(scratch);
  });

  afterAll(() => scratch[Symbol.asyncDispose]());

  test('an ordinary user can start it from an installation of another user without links and permissions', async () => {
    const programs = ['initdb', 'postgres'].map((name) => join(user.checkout.native, 'bin', name));
    for (const program of programs) await chmod(program, 0o644);
    for (const part of ['lib', 'bin']) await chmod(join(user.checkout.native, part), 0o555);
    await using server = user.start(join(user.home, 'data'));
    expect(await query(await server.ready(), 'select 1 as one')).toEqual([{ one: 1 }]);
    // Everything is stored in the data folder.
    expect(await readdir(join(user.home, 'data'))).toContain('postgres');
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
    for (const part of ['lib', 'bin']) await chmod(join(user.checkout.native, part), 0o755);
    for (const program of programs) await chmod(program, 0o755);
  });

  test('an ordinary user can start it when the paths of the data folder and of TMPDIR are too long for a socket', async () => {
    const deep = join(user.home, "a deep folder, with a user's name/".repeat(6));
    await using server = user.start(join(deep, 'data'), { TMPDIR: join(deep, 'tmp') });
    expect(await query(await server.ready(), 'select 1 as one')).toEqual([{ one: 1 }]);
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
  });

  test('a temporary folder that is missing or cannot be written is reported in one line', async () => {
    const locked = join(user.home, 'locked');
    await mkdir(locked, { mode: 0o555 });
    for (const [folder, refusal] of [
      ['/none', 'no such file or directory (ENOENT)'],
      [locked, 'permission denied (EACCES)'],
    ] as const) {
      await using server = user.start(join(user.home, 'data'), { TMPDIR: folder });
      expect(await server.problem()).toBe(
        `cannot create the folder of PostgreSQL's socket in ${folder} (set TMPDIR for another): ${refusal}`,
      );
      await server.ended();
    }
  });

  test('a data folder that cannot be read or written is reported in one line', async () => {
    for (const mode of [0o000, 0o500, 0o300]) {
      const dataFolder = join(user.home, `mode-${mode}`);
      await mkdir(dataFolder);
      if (user.account !== undefined) await chown(dataFolder, user.account.uid, user.account.gid);
      await chmod(dataFolder, mode);
      await using server = user.start(dataFolder);
      expect(await server.problem()).toBe(
        `the data folder ${dataFolder} cannot be used: permission denied (EACCES)`,
      );
      await server.ended();
      await chmod(dataFolder, 0o700);
    }
  });
});

interface User {
  /** Undefined if the tests themselves run as an ordinary user. */
  readonly account: Account | undefined;
  readonly home: string;
  readonly checkout: CheckoutCopy;
  start(dataFolder: string, env?: Record<string, string>): ServerProcess;
}

/** An account with its own home folder and a checkout that it can read. */
async function makeUser(scratch: Scratch): Promise<User> {
  const account = isRoot() ? await requireUnprivilegedAccount() : undefined;
  const checkout = await copyCheckout(join(scratch.path, 'checkout'));
  const home = join(scratch.path, 'home');
  await chmod(scratch.path, 0o711);
  await mkdir(home, { mode: 0o700 });
  if (account !== undefined) await chown(home, account.uid, account.gid);
  const runAs = account === undefined ? undefined : { uid: account.uid, gid: account.gid };
  return {
    account,
    home,
    checkout,
    start: (dataFolder, env) =>
      startServerProcess({ dataFolder, ...checkout, runAs, env: { HOME: home, TMPDIR: home, ...env } }),
  };
}
