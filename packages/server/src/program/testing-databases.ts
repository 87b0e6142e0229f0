// Databases for sandboxes, on a bundled PostgreSQL that ends with the process. Creating a database takes longer than the
// rest of a start, because PostgreSQL copies some hundred files: one is created in advance, and used ones are emptied.

import { Client, type ClientConfig } from 'pg';
import { startTemporaryPostgres } from '../embedded/temporary-postgres.ts';
import { secureRandomness } from '../runtime/randomness.ts';
import { migrate } from '../store/connection/migrate.ts';

const templateDatabase = 'opentill_template';
const nameBytes = 8;

/** How many empty databases are kept for later: more are seldom in use at a time. */
const readyMax = 4;

/** A larger database is dropped instead of emptied, because deleted rows still take up space. */
const keptBytesMax = 50_000_000;

interface SandboxDatabase extends AsyncDisposable {
  readonly connection: ClientConfig;
}

let bundled: Promise<ClientConfig> | undefined;
/** The names of empty databases, some of which are still being created. */
const ready: Promise<string>[] = [];

/** A migrated database without rows, which loses its data when it is disposed of. */
export async function takeDatabase(): Promise<SandboxDatabase> {
  const postgres = await startedPostgres();
  // If creating it in advance failed, the cause may be fixed by now.
  const prepared = await ready.shift()?.catch(() => undefined);
  const database = prepared ?? (await createDatabase(postgres));
  return {
    connection: { ...postgres, database },
    [Symbol.asyncDispose]: () => giveBack(postgres, database),
  };
}

/** Creates a database for the next sandbox in advance. */
export function makeDatabaseReady(): void {
  if (bundled === undefined || ready.length > 0) return;
  const making = bundled.then(createDatabase);
  // The next sandbox creates its own if this fails, and reports an error of its own.
  making.catch(() => undefined);
  ready.push(making);
}

async function giveBack(postgres: ClientConfig, database: string): Promise<void> {
  const isEmpty = ready.length < readyMax && (await isEmptied({ ...postgres, database }));
  if (isEmpty) ready.unshift(Promise.resolve(database));
  else await withClient(postgres, (client) => client.query(`drop database ${database} with (force)`));
}

/** Empties a database, or returns false if it is too large to keep. */
function isEmptied(connection: ClientConfig): Promise<boolean> {
  return withClient(connection, async (client) => {
    const sized = await client.query('select pg_database_size(current_database())::float8 as bytes');
    if (sized.rows[0].bytes > keptBytesMax) return false;
    const found = await client.query(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migration'",
    );
    // The row is the only one of a new database.
    const emptying = found.rows.map(({ name }) => `delete from ${name}`);
    await client.query([...emptying, "insert into app_counter (package_name) values ('')"].join('; '));
    return true;
  });
}

function startedPostgres(): Promise<ClientConfig> {
  bundled ??= startBundled().catch((error: unknown) => {
    // The next sandbox tries again: the cause may be fixed by then.
    bundled = undefined;
    throw error;
  });
  return bundled;
}

/** The PostgreSQL of this process, with a migrated database to copy. It ends with the process. */
async function startBundled(): Promise<ClientConfig> {
  const postgres = await startTemporaryPostgres();
  try {
    const { connection } = postgres;
    await withClient(connection, (client) => client.query(`create database ${templateDatabase}`));
    await migrate({ ...connection, database: templateDatabase });
    postgres.unref();
    return connection;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function createDatabase(postgres: ClientConfig): Promise<string> {
  const database = `sandbox_${secureRandomness.bytes(nameBytes).toString('hex')}`;
  const text = `create database ${database} template ${templateDatabase}`;
  await withClient(postgres, (client) => client.query(text));
  return database;
}

async function withClient<Result>(
  connection: ClientConfig,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(connection);
  // A connection that breaks fails the statement that runs on it; it must not end the process, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
