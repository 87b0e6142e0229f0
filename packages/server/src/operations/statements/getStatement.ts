// Reads a closed month of an app, or what has happened since the last one, after closing those that are over.

import { soFar } from '@opentill/contract/open-month.ts';
import { getStatement as operation } from '@opentill/contract/operator-api/getStatement.ts';
import { StatementLine, type StatementOfProducts } from '@opentill/contract/statements.ts';
import { findApp } from '../../store/apps/apps.ts';
import { isBooked, listBookings } from '../../store/months/bookings.ts';
import { findClosedMonth, listProductsOfMonth } from '../../store/months/closed-months.ts';
import { closeMonths } from '../../store/months/month-closing.ts';
import { addUp } from '../../store/months/month-sums.ts';
import { readOpenMonth } from '../../store/months/open-months.ts';
import { sqlTimeZone } from '../../store/statistics/statistic-days.ts';
import { findStatisticsZone } from '../../store/statistics/statistics-zone.ts';
import type { Store } from '../../store/store.ts';
import {
  type EntryPages,
  entriesPerStatement,
  type OperatorHandler,
  operatorHandler,
  responded,
} from '../operator-handler.ts';
import { noSuchApp, Refusal } from '../refusal.ts';
import { shown } from '../shown.ts';
import { closedStatement, openStatement, withProducts } from './statement-response.ts';

interface StatementKey {
  readonly packageName: string;
  readonly name: string;
}

export function getStatement(store: Store, ownTimeZone: string): OperatorHandler {
  const handler = operatorHandler(operation, async ({ path }) => {
    const statement = await readStatement(store, path, ownTimeZone);
    return statement instanceof Refusal ? statement : responded(200, statement);
  });
  return {
    ...handler,
    async *readEntries({ path: { packageName = '', name = '' } }) {
      const statement = await readStatement(store, { packageName, name }, ownTimeZone);
      if (statement instanceof Refusal) yield statement;
      else yield* linesOf(store, statement);
    },
  };
}

async function readStatement(
  { database, clock }: Store,
  { packageName, name: month }: StatementKey,
  ownTimeZone: string,
): Promise<StatementOfProducts | Refusal<'notFound'>> {
  const queryable = database.scopedTo(packageName);
  if ((await findApp(queryable, packageName)) === undefined) return noSuchApp(packageName);
  await closeMonths({ database, clock, timeZone: ownTimeZone }, packageName);
  if (month !== soFar) {
    const row = await findClosedMonth(queryable, { packageName, month });
    if (row === undefined) {
      const open = `A month that is not over is read as ${soFar}.`;
      return new Refusal('notFound', `Statement ${month} of app ${packageName} not found. ${open}`);
    }
    return withProducts(
      closedStatement(row, packageName),
      await listProductsOfMonth(queryable, { packageName, month }),
    );
  }
  const timeZone = (await findStatisticsZone(database)) ?? ownTimeZone;
  const { now } = await clock.read(queryable, packageName);
  const open = await readOpenMonth(queryable, packageName, { timeZone: sqlTimeZone(timeZone), now });
  if (open === undefined) return noSuchApp(packageName);
  const { firstOrder, eventOrder: until } = open;
  const [summed] = await addUp(queryable, { packageName, after: firstOrder - 1, until, ends: [] });
  return openStatement(open, summed?.products ?? [], { packageName, timeZone });
}

/** The entries of all events of a statement; gone if one of them was removed. */
async function* linesOf(
  { database }: Store,
  { packageName, name, firstOrder, lastOrder: until }: StatementOfProducts,
): EntryPages {
  const queryable = database.scopedTo(packageName);
  for (let after = firstOrder - 1; after < until; ) {
    const page = { packageName, after, until, limit: entriesPerStatement };
    const rows = await listBookings(queryable, page);
    const last = rows.at(-1);
    if (last === undefined || rows[0]?.eventOrder !== after + 1) {
      const detail = `The lines of statement ${name} are no longer available, because events were removed: its totals stay.`;
      return yield new Refusal('gone', detail);
    }
    yield rows.filter(isBooked).map((row) => shown(StatementLine, row));
    after = last.eventOrder;
  }
}
