// The bundled PostgreSQL of a server in another process, reached as its own operator could reach it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { DATABASE_NAME, DATABASE_USER } from '../../src/embedded/database-names.ts';

export async function connectToBundled(dataFolder: string): Promise<Client> {
  const read = async (name: string) => (await readFile(join(dataFolder, name), 'utf8')).trim();
  const client = new Client({
    host: await read('postgres.socket'),
    user: DATABASE_USER,
    password: await read('postgres.password'),
    database: DATABASE_NAME,
  });
  // The server stops PostgreSQL, and with it this connection.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
