// The mark: the database's time as the job last stored it, in a row of no app, and whether a server saw it jump. A jump
// while all servers were stopped shows as a distance from it (docs/decisions/clocks.md).

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';

const ClockMark = Type.Object({
  databaseTime: Type.Integer(),
  /** Since the last confirmation. */
  hasJumped: Type.Boolean(),
  /** How often the database's time was confirmed. */
  confirmations: Type.Integer(),
});
export type ClockMark = Static<typeof ClockMark>;

// Served by the primary key.
const selectMark = statement({
  name: 'select_clock_mark',
  text: `select database_time as "databaseTime", has_jumped as "hasJumped", confirmations
    from clock_mark where package_name = ''`,
  row: ClockMark,
});

const writeMark = (changes: string) =>
  `insert into clock_mark as m (package_name, database_time) values ('', $1)
  on conflict (package_name) do update set ${changes}`;

// Served by the primary key.
const advanceMark = statement({
  name: 'advance_clock_mark',
  text: writeMark('database_time = excluded.database_time where m.database_time < excluded.database_time'),
  row: NoRow,
});
const replaceMark = statement({
  name: 'replace_clock_mark',
  text: writeMark(
    'database_time = excluded.database_time, has_jumped = false, confirmations = m.confirmations + 1',
  ),
  row: NoRow,
});

// An operator may have confirmed the time after the jump. Served by the primary key.
const storeJump = statement({
  name: 'store_clock_jump',
  text: `update clock_mark set has_jumped = true where package_name = '' and confirmations = $1`,
  row: NoRow,
});

/** Undefined before the job has first run. */
export async function findClockMark(queryable: Queryable): Promise<ClockMark | undefined> {
  return (await queryable.rows(selectMark, []))[0];
}

/** A server saw the database's time jump, unless it was confirmed since the mark was read. */
export async function storeClockJump(queryable: Queryable, { confirmations }: ClockMark): Promise<void> {
  await queryable.rows(storeJump, [confirmations]);
}

/** Moves the mark forward; another server may have moved it further. */
export async function advanceClockMark(queryable: Queryable, databaseTime: number): Promise<void> {
  await queryable.rows(advanceMark, [databaseTime]);
}

/** Sets the mark, also back, and forgets jumps: an operator has confirmed the database's time. */
export async function replaceClockMark(queryable: Queryable, databaseTime: number): Promise<void> {
  await queryable.rows(replaceMark, [databaseTime]);
}
