// Finds what falls due next by the clock of an app: charges and expiries of subscriptions, and webhook deliveries.

import { StopKind, stopCountMax, stopKinds, upcomingStopsMax } from '@opentill/contract/clock-resources.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';

const ClockStop = Type.Object({
  time: Type.Integer(),
  kind: StopKind,
  count: Type.Integer(),
  id: Type.String(),
});
type ClockStop = Static<typeof ClockStop>;

interface DueItems {
  readonly table: string;
  /** When an item falls due. */
  readonly time: string;
  /** The condition of the index on (package_name, `time`, `order`). */
  readonly isDue: string;
  /** The column that orders the items of one instant. */
  readonly order: string;
  readonly id: string;
  readonly kind: string;
}

/**
 * Goes from each instant to the next in the index, so that a million items at one instant hide no later one, and counts a
 * limited number of items at each.
 */
const stopsText = ({ table, time, isDue, order, id, kind }: DueItems) => `
  with recursive instant (due_time, position) as (
    (select ${time}, 1 from ${table} where package_name = $1 and ${isDue}
      order by ${time} limit 1)
    union all
    select (select next.${time} from ${table} next
        where next.package_name = $1 and ${isDue} and next.${time} > instant.due_time
        order by next.${time} limit 1), position + 1
      from instant where due_time is not null and position < ${upcomingStopsMax}
  )
  select instant.due_time as time, item.kind, count(*)::integer as count,
    (array_agg(item.id order by item.item_order))[1] as id
  from instant cross join lateral (
    select ${id} as id, ${order} as item_order, ${kind} as kind from ${table}
    where package_name = $1 and ${isDue} and ${time} = instant.due_time
    order by ${order} limit ${stopCountMax}) as item
  group by instant.due_time, item.kind
  order by instant.due_time, item.kind limit ${upcomingStopsMax}`;

// Served by subscription_due_of_app.
const selectRenewalStops = statement({
  name: 'select_renewal_stops',
  text: stopsText({
    table: 'subscription',
    time: 'due_time',
    isDue: 'due_time is not null',
    order: 'first_purchase_id',
    id: 'first_purchase_id',
    kind: `case when open_charge_time is not null then 'poll' when not auto_renewing then 'expiry'
      when next_payment_time > expiry_time then 'retry' else 'renewal' end`,
  }),
  row: ClockStop,
});

// Served by webhook_delivery_due.
const selectDeliveryStops = statement({
  name: 'select_delivery_stops',
  text: stopsText({
    table: 'webhook_delivery',
    time: 'due_time',
    isDue: "state = 'waiting'",
    order: 'event_order',
    id: 'event_id',
    kind: `'delivery'`,
  }),
  row: ClockStop,
});

const kinds = Object.keys(stopKinds);

/** Lists the first stops of an app, in order of time and kind. */
export async function listStops(queryable: Queryable, packageName: string): Promise<ClockStop[]> {
  const renewals = await queryable.rows(selectRenewalStops, [packageName]);
  const deliveries = await queryable.rows(selectDeliveryStops, [packageName]);
  const stops = [...renewals, ...deliveries];
  stops.sort((a, b) => a.time - b.time || kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return stops.slice(0, upcomingStopsMax);
}
