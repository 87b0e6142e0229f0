// The settings of each connection, so that statements mean the same whatever a role, a database or a pooler has set
// (docs/decisions/database.md, "Settings of roles and poolers").

import type { ClientBase } from 'pg';

/** In ms; 0 for none. */
interface Timeouts {
  /** PostgreSQL cancels a statement. */
  readonly statementMs: number;
  /** The wait for a lock. */
  readonly lockMs: number;
  /** PostgreSQL ends the transaction of an unresponsive server, which releases its row locks. */
  readonly idleInTransactionMs: number;
}

/** For work that takes as long as there is data. */
export const noTimeouts: Timeouts = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 };

const ownSettings = {
  // The text of dates and numbers, also in an export.
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  // The meaning of literals and of NULL in the text of an array.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  // At a stricter level, a statement that meets a concurrent change fails instead of waiting for it.
  default_transaction_isolation: 'read committed',
  // An expected error, such as a duplicate key, must not end the connection.
  exit_on_error: 'off',
  // Other limits than those of `Timeouts`.
  transaction_timeout: '0',
  idle_session_timeout: '0',
};

/** Drops what an earlier client of a pooler may have left under the same names. */
const discardSession = 'deallocate all; select pg_advisory_unlock_all()';

/** A role or a database that commits without waiting for the disk would lose what was acknowledged; a whole server may do so. */
const durableCommits = `select set_config(name, 'on', false) from pg_settings
  where name = 'synchronous_commit' and setting = 'off' and source in ('database', 'user', 'database user')`;

/** One round trip, which reads no table. Versions of PostgreSQL differ in which settings there are. */
function settingsText(settings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  return `${discardSession}; ${durableCommits}; select set_config(name, value, false) from (values ${rows.join(', ')}) as own (name, value)
    where current_setting(name, true) is not null`;
}

/** `more`: by name, such as settings of a cluster. */
export async function applyOwnSettings(
  client: ClientBase,
  { statementMs, lockMs, idleInTransactionMs }: Timeouts,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const timeouts = {
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
  };
  await client.query(settingsText({ ...ownSettings, ...timeouts, ...more }));
}
