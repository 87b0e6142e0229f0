// Reads the closed months of an app.

import { MonthName, statementCounts } from '@opentill/contract/statements.ts';
import Type, { type Static } from 'typebox';
import { pagedList } from '../statements/paged-list.ts';
import { type Queryable, statement } from '../statements/statement.ts';
import { monthCounts } from '../tables/months.ts';

const counted = Object.entries(monthCounts);

const Totals = Type.Object({ currency: Type.String(), ...statementCounts });
const ProductTotals = Type.Object({ productId: Type.String(), ...Totals.properties });

const MonthRow = Type.Object({
  month: MonthName,
  firstOrder: Type.Integer(),
  lastOrder: Type.Integer(),
  closedAt: Type.Integer(),
  timeZone: Type.String(),
  isIncomplete: Type.Boolean(),
  isFirst: Type.Boolean(),
  totals: Type.Array(Totals),
});
export type MonthRow = Static<typeof MonthRow>;

const ofMonth = 'p.package_name = $packageName and p.month = m.month';

const monthColumns = `m.month, m.first_order as "firstOrder", m.last_order as "lastOrder", m.closed_at as "closedAt",
  m.time_zone as "timeZone", m.is_incomplete as "isIncomplete", not exists (select from closed_month p
    where p.package_name = $packageName and p.product_id = '' and p.month < m.month) as "isFirst",
  (select coalesce(json_agg(t order by t.currency), '[]') from (
    select p.currency, ${counted.map(([field, { column }]) => `sum(p.${column})::bigint as "${field}"`).join(', ')}
    from closed_month p where ${ofMonth} and p.product_id <> '' group by p.currency) as t) as totals`;

export const MonthPosition = Type.Object({ month: MonthName });

/** The closed months of an app, newest first. Served by closed_month_of_app, backwards, and for each month by the primary key. */
export const listClosedMonths = pagedList({
  name: 'closed_months',
  row: MonthRow,
  position: MonthPosition,
  order: { month: 'm.month' },
  direction: 'desc',
  filters: { packageName: 'm.package_name = $packageName', month: 'm.month = $month' },
  text: ({ where, page }) =>
    `select ${monthColumns} from closed_month m where ${where} and m.product_id = '' ${page}`,
});

// Served by the primary key, in its order.
const selectProducts = statement({
  name: 'select_products_of_month',
  text: `select p.product_id as "productId", p.currency,
      ${counted.map(([field, { column }]) => `p.${column} as "${field}"`).join(', ')}
    from closed_month p where p.package_name = $1 and p.month = $2 and p.product_id <> '' order by p.product_id, p.currency`,
  row: ProductTotals,
});

export async function findClosedMonth(
  queryable: Queryable,
  { packageName, month }: { readonly packageName: string; readonly month: string },
): Promise<MonthRow | undefined> {
  const page = { after: undefined, limit: 1 };
  return (await listClosedMonths(queryable, { packageName, month }, page)).rows[0];
}

export function listProductsOfMonth(
  queryable: Queryable,
  { packageName, month }: { readonly packageName: string; readonly month: string },
): Promise<Static<typeof ProductTotals>[]> {
  return queryable.rows(selectProducts, [packageName, month]);
}
