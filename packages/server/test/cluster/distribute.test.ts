// Distributes a store that holds data, with the real program.

import { expect, test } from 'vitest';
import { buildNextVersion } from '../../../../test/support/built-programs.ts';
import { databaseUrlOf } from '../../../../test/support/database-url.ts';
import {
  createTestApp,
  databaseEnv,
  emptyDatabase,
  freshDatabase,
  operatorOf,
  recordTestPurchase,
  startTestServer,
  type TestDatabase,
  useForFile,
} from '../../../../test/support/harness.ts';
import { queryOnce } from '../../../../test/support/query.ts';
import { refusedStart, startOpentill } from '../../../../test/support/start/opentill-process.ts';
import { type Ended, opentill } from '../../../../test/support/start/program-process.ts';

const database: TestDatabase = await useForFile(emptyDatabase());
const on = (args: readonly string[], connection = database.connection): Promise<Ended> =>
  opentill(args, { env: { DATABASE_URL: databaseUrlOf(connection) } });

const rowsText = (table: string) => `select to_jsonb(t)::text as row from ${table} as t order by 1`;
const listTables = () =>
  queryOnce(
    database.connection,
    "select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );

test('distribute keeps every row, refuses while a server is connected, and continues what was broken off', async () => {
  const before: Record<string, unknown> = {};
  const apps = ['com.example.a', 'com.example.b'];
  let purchaseId = '';
  {
    await using server = await startTestServer({ database });
    for (const packageName of apps) {
      const app = await createTestApp(server, packageName);
      await recordTestPurchase(server, app, { productId: 'monthly' });
      ({ purchaseId } = await recordTestPurchase(server, app));
    }
    const refused = await on(['database', 'distribute']);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^Expected no other connection to this database, got \d+: stop all /);
  }
  for (const { name } of await listTables())
    before[String(name)] = await queryOnce(database.connection, rowsText(String(name)));

  // A first run that was broken off after its first table.
  const first = `select create_distributed_table('purchase', 'package_name', colocate_with => 'none', shard_count => 4)`;
  await queryOnce(database.connection, first);
  const halfway = await refusedStart({ env: databaseEnv(database.connection) });
  expect(halfway.stderr).toMatch(
    /^Some tables of this database are not distributed yet \(access_token, .*\): run opentill database distribute on the coordinator\.\n$/,
  );

  const done = await on(['database', 'distribute', '--shards', '4']);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toMatch(/^nodes .*\nshards +4\nnot distributed +nothing\n$/);
  for (const [name, rows] of Object.entries(before)) {
    expect([name, await queryOnce(database.connection, rowsText(String(name)))]).toEqual([name, rows]);
  }
  expect((await on(['database', 'distribute'])).stdout).toBe(done.stdout);
  const doctor = JSON.parse((await on(['doctor', '--json'])).stdout);
  expect(doctor.find(({ name }: { name: string }) => name === 'cluster')).toMatchObject({
    verdict: 'ok',
    detail: expect.stringMatching(/^\d nodes, 4 shards of each table$/),
  });

  await using server = await startTestServer({ database });
  const found = await operatorOf(server).getPurchase({ packageName: 'com.example.b', purchaseId });
  expect(found.purchaseId).toBe(purchaseId);
});

test('a migration of a cluster alters distributed tables and distributes a table that it adds', async () => {
  await using distributed = await freshDatabase();
  const { connection } = distributed;
  await using next = await buildNextVersion({
    '9001_note': `alter table purchase add column note text;
      create table purchase_note (package_name text collate "C" primary key, note text);
      insert into purchase_note values ('com.example.game', 'a note');
      alter table app add column note text;`,
  });
  await using server = startOpentill({ env: databaseEnv(connection), program: next.program });
  await recordTestPurchase(await server.ready(), await createTestApp(await server.ready()));
  const newest = 'select name from schema_migration order by name desc limit 1';
  expect(await queryOnce(connection, newest)).toEqual([{ name: '9001_note' }]);
  expect(await queryOnce(connection, 'select note from purchase_note')).toEqual([{ note: 'a note' }]);
  const [shards] = await queryOnce(
    connection,
    `select count(*)::integer as count from pg_dist_shard where logicalrelid = 'purchase_note'::regclass`,
  );
  expect(shards).toEqual({ count: 4 });
});
