import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratch } from '../../../../test/support/embedded/scratch.ts';
import { query } from '../../../../test/support/query.ts';
import { isRoot, requireUnprivilegedAccount } from '../../src/embedded/data-folder.ts';
import { copyCheckout } from './checkout-copy.ts';
import { startServerProcess } from './server-process.ts';

test('root can start a server twice from a checkout in a folder of mode 0700, and PostgreSQL never runs as root', async () => {
  await using scratch = await makeScratch();
  expect((await stat(scratch.path)).mode & 0o777).toBe(0o700);
  const checkout = await copyCheckout(join(scratch.path, 'checkout'));
  for (const start of [1, 2]) {
    await using server = startServerProcess({ ...scratch, ...checkout });
    const connection = await server.ready();
    // The socket's folder belongs to the account that PostgreSQL runs as.
    expect((await stat(connection.host)).uid).not.toBe(0);
    await query(connection, `create table kept_${start} as select 1`);
    expect(await query(connection, `select 1 from pg_tables where tablename like 'kept%'`)).toHaveLength(
      start,
    );
    server.signal('SIGTERM');
    expect(await server.ended()).toBe(0);
  }
});

test('an ordinary user can start it from an installation of another user without links and permissions', async () => {
  await using scratch = await makeScratch();
  const account = isRoot() ? await requireUnprivilegedAccount() : undefined;
  const checkout = await copyCheckout(join(scratch.path, 'checkout'));
  const dataFolder = join(scratch.path, 'home', 'data');
  await chmod(scratch.path, 0o711);
  await mkdir(dirname(dataFolder), { mode: 0o700 });
  if (account !== undefined) await chown(dirname(dataFolder), account.uid, account.gid);
  for (const program of ['initdb', 'postgres']) await chmod(join(checkout.native, 'bin', program), 0o644);
  for (const part of ['lib', 'bin']) await chmod(join(checkout.native, part), 0o555);
  const env = { HOME: dirname(dataFolder) };
  const runAs = account && { uid: account.uid, gid: account.gid };
  await using server = startServerProcess({ dataFolder, ...checkout, runAs, env });
  expect(await query(await server.ready(), 'select 1 as one')).toEqual([{ one: 1 }]);
  // Everything is stored in the data folder.
  expect(await readdir(dataFolder)).toContain('postgres');
  server.signal('SIGTERM');
  expect(await server.ended()).toBe(0);
  for (const part of ['lib', 'bin']) await chmod(join(checkout.native, part), 0o755);
});
