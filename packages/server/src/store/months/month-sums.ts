// What events sum up to, by month, product and currency: a few statements of limited size, whatever a month has.

import { type StatementCounts, statementCounts } from '@opentill/contract/statements.ts';
import Type, { type Static } from 'typebox';
import { nullable, type Queryable, statement } from '../statements/statement.ts';
import { bookingsText } from './bookings.ts';

/** Events that one statement adds up: some tens of ms. */
const eventsOfStepMax = 10_000;

const kinds: Readonly<Record<string, string>> = {
  sales: 'sale',
  trials: 'trial',
  renewals: 'renewal',
  refunds: 'refund',
};

const sums = Object.keys(statementCounts).map((field) => {
  const [name = '', isAmount] = field.split('Amount', 2);
  const filter = `filter (where b.kind = '${kinds[name]}')`;
  return isAmount === undefined
    ? `count(*) ${filter} as "${field}"`
    : `coalesce(sum(b.amount) ${filter}, 0)::bigint as "${field}"`;
});

const SumRow = Type.Object({
  month: Type.Integer(),
  /** Null for events without an amount. */
  productId: nullable(Type.String()),
  currency: nullable(Type.String()),
  firstOrder: Type.Integer(),
  lastOrder: Type.Integer(),
  latest: Type.Integer(),
  ...statementCounts,
});
type SumRow = Static<typeof SumRow>;

// An event is in the month of the latest time up to it, because the first event at or after the end of a month decides. Served by
// the primary keys of event and, once for each sale and void, of purchase.
const selectSums = statement({
  name: 'add_up_events',
  text: `select b.month, b.product_id as "productId", b.currency, min(b.event_order) as "firstOrder",
      max(b.event_order) as "lastOrder", max(b.event_time) as latest, ${sums.join(', ')}
    from (${bookingsText(`
      select e.*, width_bucket(greatest($4::bigint, max(e.event_time) over (order by e.event_order)), $5::bigint[]) as month
      from (select * from event where package_name = $1 and event_order > $2 and event_order <= $3
        order by event_order limit ${eventsOfStepMax}) as e`)}) as b
    group by 1, 2, 3 order by 1`,
  row: SumRow,
});

export interface ProductSums extends StatementCounts {
  readonly productId: string;
  readonly currency: string;
}

export interface SummedMonth {
  /** Undefined if it has no events. */
  readonly firstOrder: number | undefined;
  readonly products: readonly ProductSums[];
}

/**
 * Adds up the events after an order, up to another one, by months with these ends, ascending in ms; the last of the returned
 * months is the one after the ends. With ends, it has only its first order and a part of its sums.
 */
export async function addUp(
  queryable: Queryable,
  of: { packageName: string; after: number; until: number; ends: readonly number[] },
): Promise<readonly SummedMonth[]> {
  const { packageName, until, ends } = of;
  const months = Array.from({ length: ends.length + 1 }, () => new MonthSums());
  let latest = 0;
  for (let after = of.after; after < until; ) {
    const rows = await queryable.rows(selectSums, [packageName, after, until, latest, ends]);
    if (rows.length === 0) break;
    for (const row of rows) {
      months[row.month]?.add(row);
      after = Math.max(after, row.lastOrder);
      latest = Math.max(latest, row.latest);
    }
    if (ends.length > 0 && latest >= (ends.at(-1) ?? 0)) break;
  }
  return months;
}

class MonthSums implements SummedMonth {
  firstOrder: number | undefined;
  readonly #products = new Map<string, ProductSums>();

  add({ productId, currency, firstOrder, ...row }: SumRow): void {
    this.firstOrder = Math.min(this.firstOrder ?? firstOrder, firstOrder);
    if (productId === null || currency === null) return;
    const key = `${productId} ${currency}`;
    const before = this.#products.get(key);
    const counts = addCounts(before ?? noCounts, row);
    this.#products.set(key, { productId, currency, ...counts });
  }

  get products(): readonly ProductSums[] {
    return [...this.#products.values()];
  }
}

const countNames = Object.keys(statementCounts) as (keyof StatementCounts)[];

export const noCounts = Object.fromEntries(countNames.map((name) => [name, 0])) as unknown as StatementCounts;

export function addCounts(left: StatementCounts, right: StatementCounts): StatementCounts {
  const summed = countNames.map((name) => [name, left[name] + right[name]]);
  return Object.fromEntries(summed) as unknown as StatementCounts;
}
