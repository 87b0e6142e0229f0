// Sessions and one-time links of the console. All rows have the package name ''.

import { sessionsShownMax } from '@opentill/contract/sessions.ts';
import Type from 'typebox';
import { noApp } from '../audit/actions.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import { consoleLink, consoleSession } from '../tables/console.ts';
import { insertText, insertValues, rowShape, selectList, type ValuesOf, valueList } from '../tables/table.ts';

export type ConsoleSession = ValuesOf<typeof consoleSession>;
export type ConsoleLinkRow = ValuesOf<typeof consoleLink>;

/** Sessions of one author; a new one ends the oldest. */
export const sessionsPerAuthorMax = 100;

const insertSession = statement({
  name: 'insert_console_session',
  text: insertText(consoleSession),
  row: NoRow,
});

// Scans console_session, which is small because it is limited per operator key.
const deleteOldSessions = statement({
  name: 'delete_old_console_sessions',
  text: `delete from console_session where package_name = $1 and (ends_at <= $2 or session_hash in (
      select session_hash from console_session where package_name = $1 and made_by = $3
      order by created_at desc, session_hash desc offset $4))`,
  row: NoRow,
});

// Served by the primary key.
const selectSession = statement({
  name: 'select_console_session',
  text: `select ${selectList(consoleSession, 's')} from console_session s
    where package_name = $1 and session_hash = $2`,
  row: rowShape(consoleSession),
});

// Scans console_session, which is small because it is limited per operator key.
const selectSessions = statement({
  name: 'select_console_sessions',
  text: `select ${selectList(consoleSession, 's')} from console_session s
    where package_name = $1 order by last_seen_at desc, session_hash limit ${sessionsShownMax}`,
  row: rowShape(consoleSession),
});

// Served by the primary key.
const updateLastSeen = statement({
  name: 'update_console_session_last_seen',
  text: `update console_session set last_seen_at = $3
    where package_name = $1 and session_hash = $2 and last_seen_at < $3`,
  row: NoRow,
});

// Served by the primary key.
const deleteSessionRow = statement({
  name: 'delete_console_session',
  text: 'delete from console_session where package_name = $1 and session_hash = $2 returning package_name as "packageName"',
  row: Type.Object({ packageName: Type.String() }),
});

const insertLink = statement({ name: 'insert_console_link', text: insertText(consoleLink), row: NoRow });

// Scans console_link, whose rows are minutes old.
const deleteOldLinks = statement({
  name: 'delete_old_console_links',
  text: 'delete from console_link where package_name = $1 and ends_at <= $2',
  row: NoRow,
});

// Scans console_link, whose rows are minutes old.
const deleteLinks = statement({
  name: 'delete_console_links',
  text: 'delete from console_link where package_name = $1 and made_by = $2',
  row: NoRow,
});

// Served by the primary key.
const takeLinkRow = statement({
  name: 'take_console_link',
  text: `delete from console_link l where package_name = $1 and code_hash = $2
    returning l.package_name as "packageName", ${valueList(consoleLink, 'l')}`,
  row: rowShape(consoleLink),
});

/** Also deletes sessions that have ended, and those of the author beyond `sessionsPerAuthorMax`. */
export async function createSessionRow(transaction: Queryable, session: ConsoleSession): Promise<void> {
  await transaction.rows(insertSession, insertValues(consoleSession, { packageName: noApp, ...session }));
  const { createdAt, madeBy } = session;
  await transaction.rows(deleteOldSessions, [noApp, createdAt, madeBy, sessionsPerAuthorMax]);
}

export async function findSession(queryable: Queryable, hash: Buffer): Promise<ConsoleSession | undefined> {
  return (await queryable.rows(selectSession, [noApp, hash]))[0];
}

/** Those seen last come first; some may have ended. */
export function listSessionRows(queryable: Queryable): Promise<ConsoleSession[]> {
  return queryable.rows(selectSessions, [noApp]);
}

export async function noteSessionSeen(queryable: Queryable, hash: Buffer, seenAt: number): Promise<void> {
  await queryable.rows(updateLastSeen, [noApp, hash, seenAt]);
}

/** Returns false if the session does not exist. */
export async function removeSession(transaction: Queryable, hash: Buffer): Promise<boolean> {
  return (await transaction.rows(deleteSessionRow, [noApp, hash])).length > 0;
}

/** Also deletes links that have ended. */
export async function createLink(transaction: Queryable, link: ConsoleLinkRow, now: number): Promise<void> {
  await transaction.rows(deleteOldLinks, [noApp, now]);
  await transaction.rows(insertLink, insertValues(consoleLink, { packageName: noApp, ...link }));
}

/** Deletes the unused links of an operator. */
export async function removeLinks(transaction: Queryable, madeBy: string): Promise<void> {
  await transaction.rows(deleteLinks, [noApp, madeBy]);
}

/** Deletes the link: of concurrent calls, one gets it. */
export async function takeLink(transaction: Queryable, hash: Buffer): Promise<ConsoleLinkRow | undefined> {
  return (await transaction.rows(takeLinkRow, [noApp, hash]))[0];
}
