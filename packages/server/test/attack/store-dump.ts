// Restores store-dump.sql, the rows of a store at the baseline, which write-store-dump.ts writes.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { query } from '../embedded/scratch.ts';

const baseline = '0001_baseline';
const baselineFile = new URL(`../../src/store/migrations/${baseline}.sql`, import.meta.url);

export const dumpFile = new URL('store-dump.sql', import.meta.url);

/** The app whose data the dump contains. */
export const storedApp = 'com.example.stored';

/** The first line of the dump, which names the baseline that it was written from. */
export async function dumpHead(): Promise<string> {
  const hash = createHash('sha256')
    .update(await readFile(baselineFile))
    .digest('hex');
  return `-- Written by write-store-dump.ts from ${baseline}.sql with the SHA-256 ${hash}.\n`;
}

/** Creates the tables of the baseline in an empty database, with the rows of the dump. */
export async function restoreStore(connection: ClientConfig): Promise<void> {
  const dump = await readFile(dumpFile, 'utf8');
  if (!dump.startsWith(await dumpHead())) {
    throw new Error(
      `${baseline}.sql has changed since store-dump.sql was written: run node packages/server/test/attack/write-store-dump.ts`,
    );
  }
  await query(connection, await readFile(baselineFile, 'utf8'));
  await query(connection, 'insert into schema_migration (name) values ($1)', [baseline]);
  await query(connection, dump);
}
