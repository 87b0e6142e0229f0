// Fills the database of a store by SQL with more of everything than a page of the console shows.

import type { ClientConfig } from 'pg';
import { query } from '../query.ts';

/** How many rows of each kind; the purchases are those of the app that the fill is for. */
export interface StoreSize {
  readonly apps: number;
  readonly purchases: number;
  readonly subscriptions: number;
  /** The periods of one long subscription. */
  readonly periods: number;
  readonly events: number;
  /** Dead deliveries, of the first events. */
  readonly failedDeliveries: number;
  readonly actions: number;
}

/** One purchase in this many is voided. */
const voidEvery = 200;

const dayMs = 86_400_000;
const spreadMs = 30 * dayMs;

/**
 * Adds rows to an app that exists, and other apps. Purchases are named p-0, p-1 and so on, with an order o-<n> and one of
 * 50,000 buyers b-<n>. No two fills fit into one database.
 */
export async function fillStore(
  connection: ClientConfig,
  packageName: string,
  size: StoreSize,
  now: number,
): Promise<void> {
  for (const text of statementsOf(size, now)) {
    await query(connection, text.replaceAll(':app', `'${packageName}'`));
  }
}

const otherApp = `'com.example.other' || lpad(n::text, 5, '0')`;

function statementsOf(size: StoreSize, now: number): string[] {
  const from = now - spreadMs;
  const timeOf = (count: number) => `${from} + n * ${spreadMs}::bigint / ${count}`;
  const voids = Math.floor(size.purchases / voidEvery);
  return [
    ...otherApps(size, from),
    `insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time, developer_payload,
        price, currency, consumed_time, voided_time, void_order, void_reason, recorded_by, voided_by)
      select :app, 'p-' || n, case when n % 100 = 0 then 'gems' else 'coins' end, 'o-' || n, 'b-' || n % 50000,
        ${timeOf(size.purchases)}, 'payload-' || n, 499, 'EUR',
        case when n % 2 = 0 then ${timeOf(size.purchases)} + 1000 end,
        case when n % ${voidEvery} = 1 then ${timeOf(size.purchases)} + 60000 end,
        case when n % ${voidEvery} = 1 then n / ${voidEvery} + 1 end,
        case when n % ${voidEvery} = 1 then '1' end, 'operator:checkout',
        case when n % ${voidEvery} = 1 then 'operator:helpdesk' end
      from generate_series(0, ${size.purchases - 1}) n`,
    ...subscriptions(size, now),
    ...longLife(size),
    ...eventsAndDeliveries(size, timeOf(size.events)),
    actions(size, voids, timeOf(size.actions)),
    `update app_counter set event_order = ${size.events + size.periods}, void_order = ${voids},
        last_voided_time = ${now}, action_order = ${size.actions + 10}
      where package_name = :app`,
  ];
}

function otherApps({ apps }: StoreSize, createdAt: number): string[] {
  const series = `from generate_series(1, ${apps - 1}) n`;
  return [
    `insert into app (package_name, client_id, app_number, name, client_secret_hash, created_at)
      select ${otherApp}, ${otherApp}, n, 'Game ' || n, decode(repeat('00', 32), 'hex'), ${createdAt} ${series}`,
    `insert into access_token (package_name) select ${otherApp} ${series}`,
    `insert into app_counter (package_name) select ${otherApp} ${series}`,
    `insert into product (package_name, product_id, type, price, currency, created_at, updated_at)
      select ${otherApp}, product_id, 'oneTime', 499, 'EUR', ${createdAt}, ${createdAt}
      from generate_series(1, ${apps - 1}) n, unnest(array['coins', 'gems']) as product_id`,
  ];
}

/** In equal parts: active, cancelled, outstanding, expired and terminated. */
function subscriptions({ subscriptions: count }: StoreSize, now: number): string[] {
  const start = `${now} - ${20 * dayMs} - case when n % 5 in (2, 3) then ${30 * dayMs}::bigint else 0 end`;
  const expiry = `${start} + ${30 * dayMs}::bigint`;
  const renews = 'n % 5 in (0, 2)';
  return [
    `insert into subscription (package_name, first_purchase_id, product_id, first_start_time, time_zone, anchor_time,
        anchor_index, period, price, currency, developer_payload, buyer_id, auto_renewing, cancel_reason, cancelled_time, expiry_time,
        next_payment_time, last_period_index, last_purchase_id, last_start_time, terminated_time, expiry_event_written)
      select :app, 'S-' || n, 'monthly', ${start}, 'UTC', ${start}, -1, 'P1M', 999, 'EUR', '', 'b-' || n, ${renews},
        case when not (${renews}) then '0' end, case when not (${renews}) then ${start} + 1000 end, ${expiry},
        case when n % 5 = 2 then ${now + dayMs} when ${renews} then ${expiry} end, 0, 'S-' || n, ${start},
        case when n % 5 = 4 then ${start} + 2000 end, n % 5 = 3
      from generate_series(1, ${count}) n`,
    `insert into purchase (package_name, purchase_id, product_id, buyer_id, purchase_time, developer_payload, price,
        currency, first_purchase_id, period_index, start_time, expiry_time, recorded_by)
      select package_name, first_purchase_id, product_id, buyer_id, first_start_time, '', price, currency, first_purchase_id,
        0, first_start_time, expiry_time, 'operator:checkout'
      from subscription where package_name = :app`,
  ];
}

/** A subscription with a period after the other, each paid at its first attempt. */
function longLife({ periods, events }: StoreSize): string[] {
  const start = (n: string) =>
    `(extract(epoch from timestamp '2001-10-01' + ${n} * interval '1 month') * 1000)::bigint`;
  const idOf = (n: string) => `'L-' || ${n}`;
  const series = `from generate_series(0, ${periods - 1}) n`;
  return [
    `insert into subscription (package_name, first_purchase_id, product_id, first_start_time, time_zone, anchor_time,
        anchor_index, period, price, currency, developer_payload, buyer_id, auto_renewing, expiry_time, next_payment_time, last_period_index, last_purchase_id,
        last_start_time)
      values (:app, 'L-0', 'monthly', ${start('0')}, 'UTC', ${start('0')}, -1, 'P1M', 999, 'EUR', '', 'b-long', true,
        ${start(String(periods))}, ${start(String(periods))}, ${periods - 1}, 'L-${periods - 1}', ${start(String(periods - 1))})`,
    `insert into purchase (package_name, purchase_id, product_id, buyer_id, purchase_time, developer_payload, price,
        currency, first_purchase_id, period_index, start_time, expiry_time, recorded_by)
      select :app, ${idOf('n')}, 'monthly', 'b-long', ${start('n')}, '', 999, 'EUR', 'L-0', n,
        ${start('n')}, ${start('(n + 1)')}, 'job:renewals' ${series}`,
    `insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
        begun_time, tries, outcome, settled_time, purchase_id, made_by, request_id)
      select :app, 'L-0', n, 1, 'key-' || n, ${start('n')}, ${start('n')}, 1, 'paid', ${start('n')},
        ${idOf('n')}, 'job:renewals', 'r-' || n
      from generate_series(1, ${periods - 1}) n`,
    `insert into event (package_name, event_order, type, event_time, purchase_id, first_purchase_id, product_id, made_by,
        request_id)
      select :app, ${events} + n + 1, case when n = 0 then 'subscription.started' else 'subscription.renewed' end,
        ${start('n')}, ${idOf('n')}, 'L-0', 'monthly', 'job:renewals', 'r-' || n ${series}`,
  ];
}

function eventsAndDeliveries({ events, failedDeliveries, purchases }: StoreSize, time: string): string[] {
  const attempt = `json_build_array(json_build_object('time', ${time}, 'appTime', ${time}, 'httpStatus',
    case when n <= ${failedDeliveries} then 500 else 204 end, 'latencyMs', 12.5, 'response', '', 'isResponseCut', false))`;
  const purchaseOf = `'p-' || ${purchases - 1} - n`;
  return [
    `insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
      select :app, n, 'purchase.completed', ${time}, ${purchaseOf}, 'coins', 'operator:checkout', 'r-' || n
      from generate_series(1, ${events}) n`,
    `insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, purchase_id, subject,
        state, schedule_attempts, delivered_time, attempts)
      select :app, n, 'evt_' || n || '_' || left(md5(n::text), 16), 'purchase.completed', ${time}, ${purchaseOf},
        ${purchaseOf}, case when n <= ${failedDeliveries} then 'dead' else 'delivered' end, 1,
        case when n > ${failedDeliveries} then ${time} + 100 end, ${attempt}
      from generate_series(1, ${events} - 1000) n`,
    `insert into webhook (package_name, url, secret, cursor_order, created_at, updated_at)
      values (:app, 'https://receiver.example/hooks', decode(repeat('00', 32), 'hex'), ${events}, 1, 1)`,
  ];
}

/** The voids of the purchases, and other calls, after those that created the app. */
function actions({ actions: count }: StoreSize, voids: number, time: string): string {
  return `insert into operator_action (package_name, action_order, made_at, operation_id, made_by, client_address, request_id,
        subject, reason_code, note, ticket)
      select :app, n + 11, ${time},
        case when n < ${voids} then 'voidPurchase' when n % 2 = 0 then 'putProduct' else 'updateApp' end,
        case when n % 3 = 0 then 'operator:helpdesk' else 'operator:admin' end, '127.0.0.1', 'a-' || n,
        case when n < ${voids} then 'p-' || n * ${voidEvery} + 1 when n % 2 = 0 then 'coins' end,
        case when n < ${voids} then 'fraud' end, case when n < ${voids} then 'Reported by the bank' end,
        case when n < ${voids} then 'T-' || n end
      from generate_series(0, ${count - 1}) n`;
}
