// What a row of each kind costs on disk.

import { Client, type ClientConfig } from 'pg';

const perRow = `select c.relname as table, c.reltuples::bigint as rows,
    round(pg_table_size(c.oid) / greatest(c.reltuples, 1))::int as heap,
    round(pg_indexes_size(c.oid) / greatest(c.reltuples, 1))::int as indexes,
    (pg_total_relation_size(c.oid) / 1000000)::int as mb
  from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.reltuples >= 10000
  order by pg_total_relation_size(c.oid) desc`;

export async function printSizes(connection: ClientConfig): Promise<void> {
  const client = new Client(connection);
  await client.connect();
  for (const row of (await client.query(perRow)).rows) {
    process.stdout.write(
      `${row.table}: ${row.rows} rows, ${row.heap} bytes and ${row.indexes} in indexes each, ${row.mb} MB\n`,
    );
  }
  const { rows } = await client.query(`select pg_size_pretty(pg_database_size(current_database())) as size`);
  process.stdout.write(`database: ${rows[0].size}\n`);
  await client.end();
}
