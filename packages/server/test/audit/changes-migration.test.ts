// What the migration to the audit trail makes of a database of the version before it.

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { actionHash } from '../../src/domain/audit/action-hash.ts';
import { query } from '../embedded/scratch.ts';
import { freshDatabase } from '../harness.ts';

const migration = (name: string) =>
  readFile(new URL(`../../src/store/migrations/${name}.sql`, import.meta.url), 'utf8');

test('the changes of apps become the first actions of their chains', async () => {
  await using database = await freshDatabase();
  const run = (text: string) => query(database.connection, text);
  await run('create schema before');
  const inSchema = async (text: string) => await run(`set search_path = before; ${text}`);
  await inSchema(await migration('0001_baseline'));
  await inSchema(`insert into app_counter (package_name, change_order) values ('a', 5), ('b', 0)`);
  await inSchema(`insert into app_change values
    ('a', 3, 'updateApp', '', 'app', 1790000000002, 'r2'),
    ('a', 1, 'createApp', e'"\\u00e9\\n\\u0001', 'operator:admin', 1790000000000, 'r1'),
    ('a', 5, 'putProduct', 'coins', 'operator:a b', 1790000000001, 'r3')`);
  await inSchema(await migration('0005_audit'));
  const rows = await run(`select action_order, made_at, operation_id, made_by, request_id, detail, hash
    from before.operator_action order by action_order`);
  let head: Buffer | null = null;
  for (const row of rows) {
    head = actionHash(
      {
        packageName: 'a',
        order: Number(row['action_order']),
        time: Number(row['made_at']),
        operationId: String(row['operation_id']),
        madeBy: String(row['made_by']),
        requestId: String(row['request_id']),
        detail: row['detail'] as string | null,
        outcome: 'success',
      },
      head,
    );
    expect(row['hash']).toEqual(head);
  }
  expect(rows.map((row) => row['detail'])).toEqual(['"é\n\u0001', null, 'coins']);
  const counters = await run(
    `select package_name, action_order, action_head from before.app_counter order by 1`,
  );
  expect(counters).toEqual([
    { package_name: '', action_order: '0', action_head: null },
    { package_name: 'a', action_order: '3', action_head: head },
    { package_name: 'b', action_order: '0', action_head: null },
  ]);
});
