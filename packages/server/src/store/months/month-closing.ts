// Closes the months of an app that are over (docs/decisions/statements.md).

import { isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { lockApp } from '../apps/apps.ts';
import type { StoreClock } from '../clocks/store-clock.ts';
import { type Database, RolledBack } from '../connection/database.ts';
import { NoRow, statement } from '../statements/statement.ts';
import { arrayParameters, columnArrays, columnNames, type ValuesOf } from '../statements/table.ts';
import { sqlTimeZone } from '../statistics/statistic-days.ts';
import { findStatisticsZone, fixStatisticsZone } from '../statistics/statistics-zone.ts';
import { closedMonth } from '../tables/months.ts';
import { addUp, noCounts, type SummedMonth } from './month-sums.ts';
import { monthsOfStepMax, type OpenMonth, readOpenMonth } from './open-months.ts';

// Checked by the primary key.
const insertMonths = statement({
  name: 'insert_closed_months',
  text: `insert into closed_month (package_name, ${columnNames(closedMonth)})
    select $1, ${columnNames(closedMonth)}
    from unnest(${arrayParameters(closedMonth, 2)}) as m (${columnNames(closedMonth)})`,
  row: NoRow,
});

export interface MonthStore {
  readonly database: Pick<Database, 'rows' | 'scopedTo' | 'transaction'>;
  readonly clock: StoreClock;
  /** The time zone of the first month of the database, unless its statistics have one. */
  readonly timeZone: string;
}

/**
 * Closes the months of an app that are over, at most `monthsOfStepMax`, and returns true if there may be more, or if the app
 * has changed in the meantime. Events never change and are removed oldest first, so what was read without a lock is right if
 * the open month and its first event are still the same under the lock of the app, for which the removal of events and a
 * reset wait.
 */
async function closeStep(store: MonthStore, packageName: string): Promise<boolean> {
  const { database, clock } = store;
  const fixedTimeZone = await findStatisticsZone(database);
  const timeZone = fixedTimeZone ?? store.timeZone;
  const zone = sqlTimeZone(timeZone);
  const queryable = database.scopedTo(packageName);
  const { now, realNow, hold } = await clock.read(queryable, packageName);
  if (hold !== undefined) return false;
  const open = await readOpenMonth(queryable, packageName, { timeZone: zone, now });
  if (open === undefined || open.over.length === 0 || isAdvancing(open, realNow)) return false;
  const { firstOrder, eventOrder: until } = open;
  const ends = open.over.map(({ end }) => end);
  const summed = await addUp(queryable, { packageName, after: firstOrder - 1, until, ends });
  const rows = monthRows(open, summed, { closedAt: realNow, timeZone });
  return database.transaction({ packageName }, async (transaction) => {
    await lockApp(transaction, packageName);
    const after = await clock.read(transaction, packageName);
    const found = await readOpenMonth(transaction, packageName, { timeZone: zone, now: after.now });
    if (found === undefined) return false;
    if (!isUnchanged(open, found)) return true;
    const isOwn = fixedTimeZone !== undefined || (await fixStatisticsZone(transaction, store.timeZone));
    if (!isOwn) return new RolledBack(true);
    await transaction.rows(insertMonths, [packageName, ...columnArrays(closedMonth, rows)]);
    return open.over.length === monthsOfStepMax;
  });
}

/** Steps of one call: 1,200 months of a sandbox, or an app that changes again and again. */
const stepsMax = 10;

/** Closes the months of an app that are over; what is left after many steps waits for the next call. */
export async function closeMonths(store: MonthStore, packageName: string): Promise<void> {
  for (let steps = 0; steps < stepsMax && (await closeStep(store, packageName)); steps += 1);
}

/** Whether the months that were over still are, with the same first events: a reset sets the clock back. */
function isUnchanged(read: OpenMonth, found: OpenMonth): boolean {
  return (
    read.over.every(({ name }, index) => name === found.over[index]?.name) &&
    read.firstOrder === found.firstOrder &&
    read.firstRetained === found.firstRetained
  );
}

type MonthRow = ValuesOf<typeof closedMonth>;

/** The rows of the months that are over, the boundary of each before the first event of a later one. */
function monthRows(
  { firstOrder, eventOrder, firstRetained, over }: OpenMonth,
  summed: readonly SummedMonth[],
  closing: { readonly closedAt: number; readonly timeZone: string },
): MonthRow[] {
  // What was removed may be of any month up to that of the first event that was not.
  const isAnyRemoved = (firstRetained ?? eventOrder + 1) > firstOrder && eventOrder >= firstOrder;
  const firstMonth = summed.findIndex((month) => month.firstOrder !== undefined);
  const lastIncomplete = isAnyRemoved ? (firstMonth < 0 ? over.length : firstMonth) : -1;
  let first = firstOrder;
  return over.flatMap(({ name: month }, index) => {
    const next = summed.slice(index + 1).find((later) => later.firstOrder !== undefined)?.firstOrder;
    const interval = { firstOrder: first, lastOrder: (next ?? eventOrder + 1) - 1, ...closing };
    first = interval.lastOrder + 1;
    const isIncomplete = index <= lastIncomplete;
    const none = { firstOrder: null, lastOrder: null, closedAt: null, timeZone: null, isIncomplete: null };
    const products = isIncomplete ? [] : (summed[index]?.products ?? []);
    return [
      { month, productId: '', currency: '', ...interval, isIncomplete, ...noCounts },
      ...products.map((product) => ({ month, ...none, ...product })),
    ];
  });
}
