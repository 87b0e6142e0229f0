// Searches the whole database of a test for a text.

import type { ClientConfig } from 'pg';
import { query } from '../../../test/support/query.ts';

/** The columns of the database that contain a text, in all tables. */
export async function columnsWith(connection: ClientConfig, text: string): Promise<string[]> {
  const columns = await query(
    connection,
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'json', 'jsonb', 'ARRAY') order by 1, 2`,
  );
  const names: string[] = [];
  for (const { table, column } of columns) {
    const found = `select from ${table} where strpos(${column}::text, $1) > 0 limit 1`;
    const rows = await query(connection, found, [text]);
    if (rows.length > 0) names.push(`${table}.${column}`);
  }
  return names;
}
