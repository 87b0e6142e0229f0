// Reads what changed in an app, by day, product and currency, so that each change is counted once
// (docs/decisions/statistics.md).

import Type from 'typebox';
import { nullable, type Queryable, statement } from '../connection/statement.ts';
import { statisticDay } from '../tables/statistics.ts';
import { type RowOf, rowShape } from '../tables/table.ts';

/** What changed on one day, for one product and currency. */
export type DayChanges = RowOf<typeof statisticDay>;

const counted = (condition: string) => `count(*) filter (where ${condition})`;
const amount = (condition: string) => `coalesce(sum(p.price) filter (where ${condition}), 0)::bigint`;

const isSold = `c.kind = 'sold'`;
const isStarted = `${isSold} and p.period_index = 0`;
/** A month that was paid after the end of its subscription follows the last month of it, and was never given. */
const isRenewed = `${isSold} and p.period_index between 1 and s.last_period_index`;
const isRenewedLater = `${isRenewed} and a.attempt > 1`;
const isRenewedFirst = `${isRenewed} and coalesce(a.attempt, 1) = 1`;
const isVoided = `c.kind = 'voided'`;

/**
 * SQL for the changes of the app $1, whose time zone is $2. `source` has a row `p` for each purchase or event, and `changes`
 * the kinds of changes with their times and whether they apply. The limits enforce an index for each row, whatever the
 * statistics are: the primary keys, and purchase_period for none.
 */
const changesText = ({ source, changes }: { readonly source: string; readonly changes: string }) => `
  select $1::text as "packageName", (to_timestamp(c.time / 1000.0) at time zone $2)::date::text as day,
    p.product_id as "productId", p.currency,
    ${counted(isSold)} as sold, ${amount(isSold)} as "soldAmount",
    ${counted(isStarted)} as started, ${amount(isStarted)} as "startedAmount",
    ${counted(isRenewedFirst)} as "renewedFirst", ${amount(isRenewedFirst)} as "renewedFirstAmount",
    ${counted(isRenewedLater)} as "renewedLater", ${amount(isRenewedLater)} as "renewedLaterAmount",
    ${counted(isVoided)} as voided, ${amount(isVoided)} as "voidedAmount",
    ${['declined', 'lost', 'cancelled', 'expired', 'ended'].map((kind) => `${counted(`c.kind = '${kind}'`)} as ${kind}`).join(', ')}
  from ${source}
  left join lateral (select s.* from subscription s
    where s.package_name = $1 and s.first_purchase_id = p.first_purchase_id limit 1) as s on true
  left join lateral (select a.attempt from renewal_attempt a
    where a.package_name = $1 and a.first_purchase_id = p.first_purchase_id and a.period_index = p.period_index
      and a.purchase_id = p.purchase_id limit 1) as a on true
  cross join lateral (${changes}) as c (kind, time, applies)
  where c.applies group by 1, 2, 3, 4`;

const isOfSale = (type: string) =>
  `${type} in ('purchase.completed', 'subscription.started', 'subscription.renewed')`;

/** A subscription ends once: a void after its expiry also writes subscription.terminated. */
const isOfEnd = (type: string) =>
  `${type} = case when s.expiry_told then 'subscription.expired' else 'subscription.terminated' end`;

// Served by the primary key of event in its order, and for each event by those of the other tables.
const selectChangesOfEvents = statement({
  name: 'select_changes_of_events',
  text: changesText({
    source: `(select * from event where package_name = $1 and event_order > $3 and event_order <= $4
        and purchase_id is not null and type <> 'purchase.consumed' order by event_order) as e
      cross join lateral (select p.* from purchase p
        where p.package_name = $1 and p.purchase_id = e.purchase_id limit 1) as p`,
    changes: `values
      ('sold', p.purchase_time, ${isOfSale('e.type')}),
      ('voided', p.voided_time, e.type = 'purchase.voided'),
      ('ended', s.expiry_time, ${isOfEnd('e.type')}),
      ('expired', e.event_time, e.type = 'subscription.expired'),
      ('lost', e.event_time, e.type = 'subscription.expired' and e.expiry_reason <> 'cancelled'),
      ('declined', e.event_time, e.type = 'subscription.payment_failed'),
      ('cancelled', e.event_time, e.type = 'subscription.auto_payment_cancelled')`,
  }),
  row: rowShape(statisticDay),
});

// Served by the primary key of purchase, and for each purchase by event_of_purchase and the other primary keys.
const selectChangesBeforeEvents = statement({
  name: 'select_changes_before_events',
  text: changesText({
    source: `(select * from purchase where package_name = $1 and purchase_id > $4 and purchase_id <= $5) as p`,
    changes: `
      select k.kind, k.time, k.applies and not exists (select from event e where e.package_name = $1
        and e.purchase_id = p.purchase_id and e.event_order > $3 and case k.kind
          when 'sold' then ${isOfSale('e.type')}
          when 'voided' then e.type = 'purchase.voided'
          else ${isOfEnd('e.type')} end)
      from (values
        ('sold', p.purchase_time, true),
        ('voided', p.voided_time, p.voided_time is not null),
        ('ended', s.expiry_time,
          s.last_purchase_id = p.purchase_id and (s.expiry_told or s.terminated_time is not null))
      ) as k (kind, time, applies)`,
  }),
  row: rowShape(statisticDay),
});

// Served by the primary key.
const selectPageEnd = statement({
  name: 'select_end_of_counted_purchases',
  text: `select max(purchase_id) as "purchaseId" from (select purchase_id from purchase
    where package_name = $1 and purchase_id > $2 order by purchase_id limit $3) as p`,
  row: Type.Object({ purchaseId: nullable(Type.String()) }),
});

interface OfApp {
  readonly packageName: string;
  /** The time zone of the store. */
  readonly timeZone: string;
}

/** In the time zones of PostgreSQL, the sign of an offset says how far UTC is ahead. */
function sqlTimeZone(timeZone: string): string {
  return timeZone.replace(/^[+-]/, (sign) => (sign === '+' ? '-' : '+'));
}

/** What the events after an order, up to another, changed. */
export function readChangesOfEvents(
  queryable: Queryable,
  { packageName, timeZone, after, until }: OfApp & { readonly after: number; readonly until: number },
): Promise<DayChanges[]> {
  return queryable.rows(selectChangesOfEvents, [packageName, sqlTimeZone(timeZone), after, until]);
}

/** What changed in the purchases after an id, up to another, without what the events after `eventOrder` changed. */
export function readChangesBeforeEvents(
  queryable: Queryable,
  of: OfApp & { readonly eventOrder: number; readonly after: string; readonly until: string },
): Promise<DayChanges[]> {
  const { packageName, timeZone, eventOrder, after, until } = of;
  const values = [packageName, sqlTimeZone(timeZone), eventOrder, after, until];
  return queryable.rows(selectChangesBeforeEvents, values);
}

/** The last id of the next `limit` purchases after an id; null if there are none. */
export async function findPurchaseIdAfter(
  queryable: Queryable,
  { packageName, after, limit }: { packageName: string; after: string; limit: number },
): Promise<string | null> {
  const [row] = await queryable.rows(selectPageEnd, [packageName, after, limit]);
  return row?.purchaseId ?? null;
}
