// What statistics must contain, computed from the rows of an app and from the events that were ever retained.

import { Temporal } from 'temporal-polyfill';
import { query } from '../../../../test/support/query.ts';

/** The counts and sums of a day that are not 0, by day, product and currency. */
export type Days = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface App {
  readonly connection: object;
  readonly packageName: string;
}

/** The columns of statistic_day that are added up. */
export const countNames =
  'sold sold_amount trials started started_amount renewed_first renewed_first_amount renewed_later renewed_later_amount voided voided_amount declined lost cancelled expired ended'.split(
    ' ',
  );

export async function storedDays({ connection, packageName }: App): Promise<Days> {
  const rows = await query(
    connection,
    `select day::text || ' ' || product_id || ' ' || currency as key, ${countNames.join(', ')} from statistic_day
      where package_name = $1`,
    [packageName],
  );
  return Object.fromEntries(
    rows.map(({ key, ...counts }) => [
      key,
      Object.fromEntries(
        Object.entries(counts)
          .map(([name, value]) => [name, Number(value)])
          .filter(([, value]) => value !== 0),
      ),
    ]),
  );
}

export interface SeenEvent {
  readonly order: number;
  readonly type: string;
  readonly time: number;
  readonly purchaseId: string | null;
  readonly expiryReason: string | null;
  readonly consent: string | null;
}

export async function retainedEvents({ connection, packageName }: App): Promise<SeenEvent[]> {
  const rows = await query(
    connection,
    `select event_order::float8 as "order", type, event_time::float8 as time, purchase_id as "purchaseId",
      expiry_reason as "expiryReason", consent from event where package_name = $1 order by event_order`,
    [packageName],
  );
  return rows as unknown as SeenEvent[];
}

const eventCounts: Readonly<Record<string, string>> = {
  'subscription.payment_failed': 'declined',
  'subscription.auto_payment_cancelled': 'cancelled',
  'subscription.expired': 'expired',
};

/** `events` are those from which statistics know what no row keeps. */
export async function expectedDays(
  app: App,
  { timeZone, events }: { readonly timeZone: string; readonly events: Iterable<SeenEvent> },
): Promise<Days> {
  const days: Record<string, Record<string, number>> = {};
  const purchases = await purchasesOf(app);
  const add = ({ product, currency }: PurchaseRow, time: number, counts: Record<string, number>) => {
    const day = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate();
    const key = `${day} ${product} ${currency}`;
    days[key] ??= {};
    for (const [name, value] of Object.entries(counts)) {
      if (value !== 0) days[key][name] = (days[key][name] ?? 0) + value;
    }
  };
  for (const purchase of purchases.values()) {
    const { price, refund, time, voidedTime, endTime } = purchase;
    const part = partOf(purchase);
    const isTrial = part === 'started' && price === 0;
    add(purchase, time, isTrial ? { trials: 1 } : { sold: 1, sold_amount: price });
    if (part !== undefined) add(purchase, time, { [part]: 1, [`${part}_amount`]: price });
    if (voidedTime !== null) add(purchase, voidedTime, { voided: 1, voided_amount: refund });
    if (endTime !== null) add(purchase, endTime, { ended: 1 });
  }
  for (const { type, time, purchaseId, expiryReason, consent } of events) {
    const count = consent === 'awaited' ? undefined : eventCounts[type];
    const purchase = purchases.get(purchaseId ?? '');
    if (count === undefined || purchase === undefined) continue;
    const isLost = count === 'expired' && expiryReason !== 'cancelled';
    add(purchase, time, { [count]: 1, lost: isLost ? 1 : 0 });
  }
  return days;
}

interface PurchaseRow {
  readonly id: string;
  readonly product: string;
  readonly currency: string;
  readonly price: number;
  readonly refund: number;
  readonly time: number;
  readonly voidedTime: number | null;
  /** Null for a one-time purchase. */
  readonly periodIndex: number | null;
  /** The first of its subscription that is here. */
  readonly isFirst: boolean;
  readonly lastPeriodIndex: number | null;
  readonly attempt: number | null;
  /** The end of a subscription that has ended, at its first purchase. */
  readonly endTime: number | null;
}

/** A period that was paid after the end of its subscription is neither its first nor a renewal. */
function partOf({ periodIndex, isFirst, lastPeriodIndex, attempt }: PurchaseRow): string | undefined {
  if (periodIndex === null || lastPeriodIndex === null || periodIndex > lastPeriodIndex) return undefined;
  if (isFirst) return 'started';
  return attempt === 1 ? 'renewed_first' : 'renewed_later';
}

async function purchasesOf({ connection, packageName }: App): Promise<ReadonlyMap<string, PurchaseRow>> {
  const rows = await query(
    connection,
    `select p.purchase_id as id, p.product_id as product, p.currency, p.price::float8 as price,
      coalesce(p.refund_amount, p.price)::float8 as refund,
      p.purchase_time::float8 as time, p.voided_time::float8 as "voidedTime", p.period_index as "periodIndex",
      coalesce(p.purchase_id = p.first_purchase_id, false) as "isFirst",
      s.last_period_index as "lastPeriodIndex", a.attempt,
      case when s.first_purchase_id = p.purchase_id and (s.expiry_event_written or s.terminated_time is not null)
        then s.expiry_time::float8 end as "endTime"
    from purchase p
    left join subscription s on s.package_name = $1 and s.first_purchase_id = p.first_purchase_id
    left join renewal_attempt a on a.package_name = $1 and a.purchase_id = p.purchase_id and a.outcome = 'paid'
    where p.package_name = $1`,
    [packageName],
  );
  return new Map((rows as unknown as PurchaseRow[]).map((row) => [row.id, row]));
}

/** The subscriptions that give access at the end of each counted day, from their periods. */
export async function activeDays({ connection, packageName }: App, timeZone: string) {
  const days = await query(
    connection,
    `select d.day::text as day, d.active, (
        select count(*)::integer from subscription s
        where s.package_name = $1 and (select min(p.start_time) from purchase p
            where p.package_name = $1 and p.first_purchase_id = s.first_purchase_id) < t.ends
          and not ((s.expiry_event_written or s.terminated_time is not null) and s.expiry_time < t.ends)) as expected
      from (select day, (sum(sum(started - ended)) over (order by day))::integer as active
        from statistic_day where package_name = $1 group by day) as d
      cross join lateral (
        select extract(epoch from (d.day + 1)::timestamp at time zone $2)::bigint * 1000 as ends) as t
      order by 1`,
    [packageName, timeZone],
  );
  return {
    counted: days.map(({ day, active }) => [day, active]),
    expected: days.map(({ day, expected }) => [day, expected]),
  };
}
