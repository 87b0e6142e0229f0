// Inserts thousands of subscriptions with their first months and events like recordPurchase, for runs in which recording them
// would take too long.

import type { Client } from 'pg';

export interface SubscriptionBlock {
  /** An existing app. */
  readonly packageName: string;
  /** The ids are this prefix and a number from 1. */
  readonly idPrefix: string;
  readonly count: number;
  /** When the first payment of the last subscription is due, in ms; each other one is due `stepMs` before the next. */
  readonly lastDue: number;
  readonly apartMs: number;
}

const inUtc = (instant: string): string => `to_timestamp((${instant}) / 1000.0) at time zone 'UTC'`;
const msOf = (time: string): string => `(extract(epoch from ${time}) * 1000)::bigint`;

// The month before the last days of a month may be shorter, so the payment may be due after the end of the month.
const firstMonths = `
  from (select n, due, start, ${msOf(`${inUtc('start')} + interval '1 month'`)} as expiry from (
    select n, due, ${msOf(`${inUtc('due')} - interval '1 month'`)} as start from (
      select n, $4::bigint - ($3 - n)::bigint * $5::bigint as due from generate_series(1, $3::integer) n
    ) as due_times) as starts) as first_months`;

const insertFirstMonths = `
  insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency,
    first_purchase_id, period_index, start_time, expiry_time)
  select $1, $2 || n, 'monthly', start, 'payload-' || n, 499, 'EUR', $2 || n, 0, start, expiry ${firstMonths}`;

const insertSubscriptions = `
  insert into subscription (package_name, first_purchase_id, product_id, first_start, time_zone, anchor_time, anchor_index,
    price, currency, developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index, last_purchase_id,
    last_start_time)
  select $1, $2 || n, 'monthly', start, 'UTC', start, -1, 499, 'EUR', 'payload-' || n, true, expiry, due, 0, $2 || n, start
  ${firstMonths}`;

const insertEvents = `
  with counter as (update app_counter set event_order = event_order + $3 where package_name = $1
    returning event_order - $3 as before)
  insert into event (package_name, event_order, type, event_time, purchase_id, first_purchase_id, product_id,
    record, made_by, request_id)
  select $1, (select before from counter) + n, 'subscription.started', start, $2 || n, $2 || n, 'monthly',
    jsonb_build_object('startTime', start, 'expiryTime', expiry, 'nextPaymentTime', due, 'autoRenewing', true,
      'price', 499, 'developerPayload', 'payload-' || n, 'purchaseState', 0),
    'operator:block', 'block' ${firstMonths}`;

/** Inserts all in one transaction, so that a polling server finds none before. */
export async function insertBlocks(client: Client, blocks: readonly SubscriptionBlock[]): Promise<void> {
  await client.query('begin');
  for (const { packageName, idPrefix, count, lastDue, apartMs } of blocks) {
    const values = [packageName, idPrefix, count, lastDue, apartMs];
    await client.query(insertFirstMonths, values);
    await client.query(insertSubscriptions, values);
    await client.query(insertEvents, values);
  }
  await client.query('commit');
}
