// Runs the SQL of its standard input on the database of the page like psql: prints the rows, and exits with 3 if a statement
// fails.

import { text } from 'node:stream/consumers';
import { Client } from 'pg';

const client = new Client({ connectionString: process.env['PAGE_DATABASE_URL'] });
await client.connect();
try {
  const results = await client.query(await text(process.stdin));
  for (const { rows } of [results].flat()) console.table(rows);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 3;
} finally {
  await client.end();
}
