// The entries of statements: each sale and each void is one event (docs/decisions/statements.md).

import { StatementLine } from '@opentill/contract/statements.ts';
import Type, { type Static } from 'typebox';
import { nullable, type Queryable, statement } from '../statements/statement.ts';

/** The types of events with an amount. */
const bookedTypes = `('purchase.completed', 'subscription.started', 'subscription.renewed', 'purchase.voided')`;

/**
 * SQL for the rows of the SQL `events` of the app $1, with the kind and the amount of those that have one. All values of the
 * purchase are final when its event exists.
 */
export function bookingsText(events: string): string {
  return `select e.*, p.purchase_time, p.order_id, p.currency, case e.type
        when 'purchase.completed' then case when e.first_purchase_id is null then 'sale' else 'renewal' end
        when 'subscription.started' then case when p.price = 0 then 'trial' else 'sale' end
        when 'subscription.renewed' then 'renewal'
        when 'purchase.voided' then 'refund' end as kind,
      case when e.type = 'purchase.voided' then coalesce(p.refund_amount, p.price) else p.price end as amount
    from (${events}) as e
    left join lateral (
      select p.purchase_time, p.order_id, p.currency, p.price, p.refund_amount from purchase p
      where p.package_name = $1 and p.purchase_id = e.purchase_id and e.type in ${bookedTypes} limit 1) as p on true`;
}

const LineRow = Type.Object({
  eventOrder: Type.Integer(),
  bookedTime: Type.Integer(),
  /** Null for an event without an amount, and so is what follows. */
  kind: nullable(StatementLine.properties.kind),
  amount: nullable(Type.Integer()),
  currency: nullable(Type.String()),
  purchaseTime: nullable(Type.Integer()),
  purchaseId: nullable(Type.String()),
  orderId: nullable(Type.String()),
  productId: nullable(Type.String()),
});
type LineRow = Static<typeof LineRow>;
type BookedRow = {
  readonly [Name in keyof LineRow]: Name extends 'orderId' ? LineRow[Name] : NonNullable<LineRow[Name]>;
};

/** Whether the event has an entry. */
export const isBooked = (row: LineRow): row is BookedRow => row.kind !== null;

// Served by the primary keys of event and, once for each sale and void, of purchase.
const selectLines = statement({
  name: 'list_bookings',
  text: `select b.event_order as "eventOrder", b.event_time as "bookedTime", b.kind,
      case when b.kind = 'refund' then -b.amount else b.amount end as amount, b.currency, b.purchase_time as "purchaseTime",
      b.purchase_id as "purchaseId", b.order_id as "orderId", b.product_id as "productId"
    from (${bookingsText(`select * from event where package_name = $1 and event_order > $2 and event_order <= $3
      order by event_order limit $4`)}) as b
    order by b.event_order`,
  row: LineRow,
});

/** The next events of an app up to an order, each with its entry if it has one. */
export function listBookings(
  queryable: Queryable,
  of: { packageName: string; after: number; until: number; limit: number },
): Promise<LineRow[]> {
  return queryable.rows(selectLines, [of.packageName, of.after, of.until, of.limit]);
}
