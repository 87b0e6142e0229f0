// Writes store-dump.sql, the rows of a store at the baseline: node packages/server/test/attack/write-store-dump.ts

import { writeFile } from 'node:fs/promises';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
import { startSandbox } from '../../src/testing.ts';
import { databaseUrlOf } from '../database-url.ts';
import { makeScratch, query } from '../embedded/scratch.ts';
import { dumpFile, dumpHead, storedApp as packageName } from './store-dump.ts';

/** An address where nothing listens: deliveries to it wait. */
const closedPort = 'http://127.0.0.1:1024/events';

async function fillStore(databaseUrl: string): Promise<void> {
  await using sandbox = await startSandbox({ databaseUrl });
  const { operator } = sandbox;
  const { client } = await sandbox.createApp({ packageName });
  const product = { packageName, price: 499, currency: 'EUR' };
  await operator.putProduct({ ...product, productId: 'coins', type: 'one_time' });
  await operator.putProduct({ ...product, productId: 'monthly', type: 'subscription' });
  await operator.putWebhook({ packageName, url: closedPort });
  await operator.putClock({ packageName, mode: 'frozen' });
  for (const purchaseId of ['stored-1', 'stored-2', 'stored-3']) {
    await operator.recordPurchase({ packageName, productId: 'coins', purchaseId, buyerId: 'buyer-1' });
  }
  await client.consumePurchase({ purchaseId: 'stored-2' });
  await operator.voidPurchase({ packageName, purchaseId: 'stored-3', reasonCode: 'fraud', note: 'A note.' });
  for (const purchaseId of ['active-1', 'ended-1']) {
    await operator.recordPurchase({ packageName, productId: 'monthly', purchaseId, buyerId: 'buyer-2' });
  }
  await operator.advanceClock({ packageName, by: 'P1M' });
  await operator.cancelSubscription({ packageName, firstPurchaseId: 'ended-1' });
  await operator.advanceClock({ packageName, by: 'P1M' });
  await operator.pauseRenewals({ packageName, note: 'A pause.' });
  await operator.putFaults({ packageName, faults: [{ operation: 'consumePurchase', httpStatus: 500 }] });
}

/** The rows of a table as an insert; undefined if it has none. */
async function insertOf(connection: object, table: string): Promise<string | undefined> {
  const columns = await query(
    connection,
    `select attname as name from pg_attribute
      where attrelid = '${table}'::regclass and attnum > 0 and attgenerated = '' and not attisdropped order by attnum`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  const rows = await query(
    connection,
    `select quote_literal(string_agg(to_json(r)::text, e',\n' order by to_json(r)::text)) as text
      from (select ${names} from ${table}) as r`,
  );
  const text = rows[0]?.text;
  if (text === null) return undefined;
  const records = text.replace(/'/, `'[`).replace(/'$/, `]'`);
  return `insert into ${table} (${names})\nselect ${names} from json_populate_recordset(null::${table}, ${records});\n`;
}

await using scratch = await makeScratch();
await using postgres = await startEmbeddedPostgres(scratch);
const { connection } = postgres;
await fillStore(databaseUrlOf(connection));
const tables = await query(
  connection,
  `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migration' order by 1`,
);
const inserts: string[] = [];
for (const { name } of tables) inserts.push((await insertOf(connection, name)) ?? '');
await writeFile(dumpFile, [await dumpHead(), 'delete from app_counter;\n', ...inserts].join(''));
