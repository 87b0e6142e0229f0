// Rules that every table of the schema follows, read from the catalog and from the baseline.

import { readdir, readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { query } from '../../../../test/support/query.ts';
import { changedLargeTables } from '../../../../test/support/store/large-tables.ts';
import { readMigration } from '../../src/store/schema/store-schema.ts';

const connection = { ...inject('postgres'), database: inject('migratedDatabase') };
const migrations = new URL('../../src/store/migrations/', import.meta.url);
const baseline = new URL('0001_baseline.sql', migrations);

test('the baseline is that of the first version: a change of the schema is a file of its own', async () => {
  const { hash } = await readMigration('0001_baseline');
  expect(hash).toBe('2dcd4a5ef3d60e2e3c7288c3c51f974c66dce5fd185c1b29616d3a8fbdd4fdc6');
});

test('each text column of an index is sorted by its bytes', async () => {
  const sortedOtherwise = await query(
    connection,
    `select indexrelid::regclass::text as index, c::regcollation::text as collation
      from pg_index join pg_class on pg_class.oid = indrelid, unnest(indcollation) as c
      where relnamespace = 'public'::regnamespace and c not in (0, '"C"'::regcollation)`,
  );
  expect(sortedOtherwise).toEqual([]);
});

test('each check is named after its table and what it checks', async () => {
  const otherwise = await query(
    connection,
    `select conname as name from pg_constraint join pg_class on pg_class.oid = conrelid
      where contype = 'c' and connamespace = 'public'::regnamespace and conname !~ ('^' || relname || '_\\w+_check$')`,
  );
  expect(otherwise).toEqual([]);
});

test('the schema names each check and each unique constraint itself', async () => {
  const code = (await readFile(baseline, 'utf8')).replaceAll(/--.*/g, '');
  const constraints = [...code.matchAll(/(\w+\s+\w+\s+)(?:check \(|unique\b(?! index))/g)];
  expect(constraints.length).toBeGreaterThan(30);
  expect(constraints.map(([text]) => text).filter((text) => !/^constraint\s/.test(text))).toEqual([]);
});

test('the only generated column is the time at which a subscription is due', async () => {
  const generated = await query(
    connection,
    `select attrelid::regclass::text as table, attname as column from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attgenerated <> ''`,
  );
  expect(generated).toEqual([{ table: 'subscription', column: 'due_time' }]);
});

test.each([
  ['subscription', null],
  ['oneTime', 'P1M'],
])('a product of the type %s with the period %s is rejected', async (type, period) => {
  const insertion = query(
    connection,
    `insert into product (package_name, product_id, type, period, price, currency, created_at, updated_at)
      values ('com.example.none', 'none', $1, $2, 1, 'EUR', 1, 1)`,
    [type, period],
  );
  await expect(insertion).rejects.toThrow('product_period_check');
});

test('each migration after the baseline changes at most one large table', async () => {
  const [first, ...later] = (await readdir(migrations)).sort();
  expect(first).toBe('0001_baseline.sql');
  for (const name of later) {
    const changed = changedLargeTables(await readFile(new URL(name, migrations), 'utf8'));
    expect(changed.length, `${name} changes ${changed.join(', ')}`).toBeLessThan(2);
  }
});

test.each([
  ['alter table purchase add note text; alter table product drop column note', ['purchase']],
  [
    'update subscription set period = null; create index if not exists a on event (type)',
    ['subscription', 'event'],
  ],
  ['create function a() returns void language sql as $$ delete from purchase $$', []],
  ['do $$ begin delete from event; end $$; drop index if exists subscription_due', ['subscription', 'event']],
  ['create unique index b on purchase (note); -- alter table event', ['purchase']],
  [
    'insert into purchase (a)\n  select a from event; drop table if exists renewal_attempt',
    ['purchase', 'renewal_attempt'],
  ],
])('the large tables that are changed by "%s" are %j', (sql, changed) => {
  expect(changedLargeTables(sql)).toEqual(changed);
});
