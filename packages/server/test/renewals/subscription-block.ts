// Subscriptions by the thousand, as recordPurchase leaves them: for runs that would take too long to record them
// one by one.

import type { Client } from 'pg';

export interface SubscriptionBlock {
  readonly packageName: string;
  /** Each is named by it and its number from 1. */
  readonly idPrefix: string;
  readonly count: number;
  /** When the first renewal of the last one is due, ms; that of each other one so many ms before the next. */
  readonly lastDue: number;
  readonly apartMs: number;
}

const inUtc = (instant: string): string => `to_timestamp((${instant}) / 1000.0) at time zone 'UTC'`;

const firstMonths = `
  from (
    select n, due, (extract(epoch from ${inUtc('due')} - interval '1 month') * 1000)::bigint as start
    from (select n, $4::bigint - ($3 - n)::bigint * $5::bigint as due from generate_series(1, $3::integer) n) as d
  ) as first_month`;

const insertFirstMonths = `
  insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency,
    first_purchase_id, period_index, start_time, expiry_time)
  select $1, $2 || n, 'monthly', start, 'payload-' || n, 499, 'EUR', $2 || n, 0, start, due ${firstMonths}`;

const insertSubscriptions = `
  insert into subscription (package_name, first_purchase_id, product_id, first_start, time_zone, price, currency,
    developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index, last_purchase_id,
    last_start_time)
  select $1, $2 || n, 'monthly', start, 'UTC', 499, 'EUR', 'payload-' || n, true, due, due, 0, $2 || n, start
  ${firstMonths}`;

/** Inserts all of them in one transaction: a server that looks meanwhile finds none. */
export async function insertBlocks(client: Client, blocks: readonly SubscriptionBlock[]): Promise<void> {
  await client.query('begin');
  for (const { packageName, idPrefix, count, lastDue, apartMs } of blocks) {
    const values = [packageName, idPrefix, count, lastDue, apartMs];
    await client.query(insertFirstMonths, values);
    await client.query(insertSubscriptions, values);
  }
  await client.query('commit');
}
