// The mark: the database's time as a job last stored it, in a row of no app (docs/decisions/clocks.md).

import Type from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import type { Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';

/**
 * The mark is older than the time that it stores by this, in ms, so that it dates nothing while the clocks of the nodes of a
 * cluster differ by less.
 */
export const markLagMs = 5_000;

// Served by the primary key.
const selectMark = statement({
  name: 'select_clock_mark',
  text: `select database_time as "databaseTime" from clock_mark where package_name = '${wholeStore}'`,
  row: Type.Object({ databaseTime: Type.Integer() }),
});

const writeMark = (condition: string) =>
  `insert into clock_mark as m (package_name, database_time) values ('${wholeStore}', $1)
  on conflict (package_name) do update set database_time = excluded.database_time where ${condition}`;

// Served by the primary key.
const advanceMark = statement({
  name: 'advance_clock_mark',
  text: writeMark('m.database_time < excluded.database_time'),
  row: NoRow,
});
const replaceMark = statement({ name: 'replace_clock_mark', text: writeMark('true'), row: NoRow });

/** In ms; undefined before the job has first run. */
export async function findClockMark(queryable: Queryable): Promise<number | undefined> {
  return (await queryable.rows(selectMark, []))[0]?.databaseTime;
}

/** Moves the mark forward; another server may have moved it further. */
export async function advanceClockMark(queryable: Queryable, databaseTime: number): Promise<void> {
  await queryable.rows(advanceMark, [databaseTime - markLagMs]);
}

/** Sets the mark, also back: an operator has confirmed the database's time. */
export async function replaceClockMark(queryable: Queryable, databaseTime: number): Promise<void> {
  await queryable.rows(replaceMark, [databaseTime - markLagMs]);
}
