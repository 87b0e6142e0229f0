// Settings of a database that a store relies on.

import Type, { type Static } from 'typebox';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** What stores and their buyers write may be in any language. SQL_ASCII counts bytes where tables mean characters. */
const neededEncoding = 'UTF8';

/** With a stricter one, a statement that meets another one fails where it should wait and look again. */
const neededIsolation = 'read committed';

const DatabaseSettings = Type.Object({
  /** As PostgreSQL names it, such as UTF8. */
  encoding: Type.String(),
  /** The isolation level of a transaction that names none. */
  isolation: Type.String(),
});
export type DatabaseSettings = Static<typeof DatabaseSettings>;

const selectSettings = statement({
  name: 'select_database_settings',
  text: `select current_setting('server_encoding') as encoding,
    current_setting('default_transaction_isolation') as isolation`,
  row: DatabaseSettings,
});

export async function readDatabaseSettings(queryable: Queryable): Promise<DatabaseSettings> {
  const [settings] = await queryable.rows(selectSettings, []);
  if (settings === undefined) throw new Error('A database did not tell its settings.');
  return settings;
}

/** Explains which setting has to change; undefined if none has. */
export function settingsProblem({ encoding, isolation }: DatabaseSettings): string | undefined {
  if (encoding !== neededEncoding) {
    return `The encoding of the database is ${encoding}, and ${neededEncoding} is needed: make another one by "create database ... template template0 encoding '${neededEncoding}'".`;
  }
  if (isolation !== neededIsolation) {
    return `default_transaction_isolation is ${isolation}, and ${neededIsolation} is needed: change it in DATABASE_URL, in PGOPTIONS, for the role or for the database.`;
  }
  return undefined;
}
