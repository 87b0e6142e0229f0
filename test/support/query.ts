// Statements that tests run on a database directly.

import { Client, Pool } from 'pg';

/** By connection. */
const pools = new Map<string, Pool>();

/** Long enough for a test that polls, and short enough for a test that does not to leave no connection open. */
const idleTimeoutMillis = 500;

/** Runs one statement on a pooled connection. */
export async function query(
  connection: object,
  sql: string,
  values?: readonly unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: the rows are what is tested
): Promise<any[]> {
  const key = JSON.stringify(connection);
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = new Pool({
      ...connection,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis,
      allowExitOnIdle: true,
    });
    pool.on('error', () => undefined);
    pools.set(key, pool);
  }
  return (await pool.query(sql, values && [...values])).rows;
}

/** Runs one statement on a new connection, which shows that PostgreSQL is running now. */
export async function queryOnce(connection: object, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
