// SQL for tests: a subscription that has been renewed for years.

import type { ClientConfig } from 'pg';
import { query } from '../query.ts';
import { insertClock } from '../stage.ts';

interface LongSubscription {
  readonly packageName: string;
  readonly firstPurchaseId: string;
  readonly periods: number;
}

/** The first instants that an API allows are in 2001. */
const firstStartTime = Date.UTC(2002, 0, 15, 12);

/**
 * Inserts a subscription in its last period, in which it freezes the clock of the app and whose instant it returns: with a
 * paid attempt and an event for each period, and a declined attempt before every seventh one. Period 3 is voided. The purchase of period n is `<firstPurchaseId>-<n>`, that of period 0 the first id.
 */
export async function insertLongSubscription(
  { connection }: { readonly connection: ClientConfig },
  { packageName, firstPurchaseId, periods }: LongSubscription,
): Promise<number> {
  const idOf = (index: string) => `$2::text || case when ${index} = 0 then '' else '-' || ${index} end`;
  const startOf = (index: string) =>
    `(extract(epoch from (to_timestamp($4 / 1000.0) at time zone 'UTC') + make_interval(months => ${index})) * 1000)::bigint`;
  const text = `
    with period as (
      select n, ${idOf('n')} as purchase_id, ${startOf('n')} as start_time, ${startOf('(n + 1)')} as expiry_time
      from generate_series(0, $3::integer - 1) n
    ), void as (
      update app_counter set void_order = void_order + 1, event_order = event_order + $3::integer
      where package_name = $1 returning void_order, event_order - $3::integer as event_order
    ), bought as (
      insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency,
          first_purchase_id, period_index, start_time, expiry_time, voided_time, void_order, void_reason)
        select $1, purchase_id, 'monthly', start_time, '', 499, 'EUR', $2, n, start_time, expiry_time,
          case when n = 3 then start_time + 1 end, case when n = 3 then void_order end, case when n = 3 then '1' end
        from period, void
    ), charged as (
      insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
          begun_time, tries, outcome, settled_time, purchase_id, made_by, request_id)
        select $1, $2, n, attempt, 'key-' || n || '-' || attempt, start_time, start_time, 1,
          case when attempt = tries then 'paid' else 'declined' end, start_time + (attempt - 1) * 3600000,
          case when attempt = tries then purchase_id end, 'job:renewals', 'r'
        from period cross join lateral (select case when n % 7 = 0 then 2 else 1 end as tries) t
        cross join lateral generate_series(1, tries) attempt
        where n > 0
    ), told as (
      insert into event (package_name, event_order, type, event_time, purchase_id, first_purchase_id, product_id,
          made_by, request_id)
        select $1, event_order + 1 + n, case when n = 0 then 'subscription.started' else 'subscription.renewed' end,
          start_time, purchase_id, $2, 'monthly', 'job:renewals', 'r'
        from period, void
    )
    insert into subscription (package_name, first_purchase_id, product_id, first_start_time, time_zone, anchor_time, anchor_index,
        period, price, currency, developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index, last_purchase_id,
        last_start_time)
      select $1, $2, 'monthly', first.start_time, 'UTC', first.start_time, -1, 'P1M', 499, 'EUR', '', true, last.expiry_time, last.expiry_time,
        last.n, last.purchase_id, last.start_time
      from period first, period last where first.n = 0 and last.n = $3::integer - 1`;
  await query(connection, text, [packageName, firstPurchaseId, periods, firstStartTime]);
  const appTime = Date.UTC(2002, periods - 1, 20, 12);
  await insertClock({ connection }, { packageName }, { mode: 'frozen', appTime });
  return appTime;
}
