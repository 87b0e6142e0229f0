// The database that every subject of the benchmark runs on: the bundled PostgreSQL with 200,000 purchases in 50
// apps, and for the Express reference a table of tokens as a team would write it.

import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded/start-embedded-postgres.ts';
import { databaseUrlOf } from '../test/database-url.ts';

export const appCount = 50;
export const purchaseCount = 200_000;
const referenceTokenMs = 3_600_000;

export interface Ledger extends AsyncDisposable {
  readonly postgres: EmbeddedPostgres;
  readonly databaseUrl: string;
  readonly client: Client;
}

export function packageNameOf(app: number): string {
  return `com.bench.app${app}`;
}

/** Purchase n (from 1) belongs to app n modulo the number of apps. */
export function purchaseOf(n: number): { purchaseId: string; packageName: string; app: number } {
  const app = n % appCount;
  return { purchaseId: `B${n}`, packageName: packageNameOf(app), app };
}

export async function startLedger(dataFolder: string): Promise<Ledger> {
  const postgres = await startEmbeddedPostgres({ dataFolder });
  const client = new Client(postgres.connection);
  client.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await client.connect();
  return {
    postgres,
    client,
    databaseUrl: databaseUrlOf(postgres.connection),
    async [Symbol.asyncDispose]() {
      await client.end();
      await postgres.stop();
    },
  };
}

/** Fills the tables that the server has made; the apps are there already. */
export async function fillLedger({ client }: Ledger, purchaseTime: number): Promise<void> {
  await client.query(
    `insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency)
     select 'com.bench.app' || n % $1, 'B' || n, 'coins', $2::bigint + n, 'payload-' || n, 499, 'EUR'
     from generate_series(1, $3::integer) n`,
    [appCount, purchaseTime, purchaseCount],
  );
  await client.query(
    'create table reference_token (token text primary key, package_name text, expires_at bigint)',
  );
  await client.query('vacuum analyze');
}

export async function addReferenceTokens(
  { client }: Ledger,
  tokens: readonly string[],
  now: number,
): Promise<void> {
  await client.query(
    `insert into reference_token select token, 'com.bench.app' || app - 1, $2
     from unnest($1::text[]) with ordinality as t (token, app)`,
    [tokens, now + referenceTokenMs],
  );
}

/** Makes every purchase consumable again, in the state of a database that is kept in order. */
export async function resetConsumption({ client }: Ledger): Promise<void> {
  await client.query('update purchase set consumed_time = null where consumed_time is not null');
  await client.query('truncate event');
  await client.query('vacuum analyze purchase');
  await client.query('checkpoint');
}

export async function countConsumed({ client }: Ledger): Promise<{ purchases: number; events: number }> {
  const { rows } = await client.query(
    `select (select count(*) from purchase where consumed_time is not null)::integer as purchases,
       (select count(*) from event where type = 'purchase.consumed')::integer as events`,
  );
  return rows[0] as { purchases: number; events: number };
}
