// Fills an empty store by SQL as large as years of sales make it: half of everything belongs to one app, the rest to 199.

import type { Client } from 'pg';

/** The rows of a store of scale 1. */
const full = { oneTime: 6_000_000, subscriptions: 1_000_000, events: 6_000_000, deliveries: 1_000_000 };

/** Each subscription has as many paid periods: 10 million purchases in all. */
const periods = 4;

/** One of so many one-time purchases is voided: a million. */
const voidEvery = 6;

const apps = 200;
const dayMs = 86_400_000;
const buyers = 1_000_000;

/** The app with half of everything. */
export const largestApp = 'com.size.app0';

export type StoreCounts = typeof full;

export function countsOf(scale: number): StoreCounts {
  const entries = Object.entries(full).map(([kind, count]) => [kind, Math.round(count * scale)]);
  return Object.fromEntries(entries) as StoreCounts;
}

const appOf = (n: string) =>
  `'com.size.app' || case when ${n} % 2 = 0 then 0 else 1 + (${n} / 2) % ${apps - 1} end`;
const lengthMs = `(array[7, 30, 91, 182, 365])[1 + n % 5]::bigint * ${dayMs}`;
const period = `(array['P1W', 'P1M', 'P3M', 'P6M', 'P1Y'])[1 + n % 5]`;

/** Their indexes are created when they are filled, because inserting into random places of an index is much slower. */
const largeTables = [
  'purchase',
  'subscription',
  'event',
  'renewal_attempt',
  'operator_action',
  'webhook_delivery',
];

interface Index {
  readonly name: string;
  readonly drop: string;
  readonly create: string;
}

const readIndexes = `select i.indexrelid::regclass::text as name,
    case when i.indisprimary then format('alter table %s drop constraint %s', i.indrelid::regclass, c.conname)
      else format('drop index %s', i.indexrelid::regclass) end as drop,
    case when i.indisprimary then format('alter table %s add constraint %s %s', i.indrelid::regclass, c.conname,
      pg_get_constraintdef(c.oid)) else pg_get_indexdef(i.indexrelid) end as create
  from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'p'
  where i.indrelid = any($1::text[]::regclass[])`;

/** `run` runs a text on a free connection of two. */
export async function fillStore(
  run: (what: string, text: string) => Promise<unknown>,
  indexes: readonly Index[],
  scale: number,
): Promise<void> {
  const fill = fills(countsOf(scale), Date.now());
  for (const { name, drop } of indexes) await run(`drop ${name}`, drop);
  const steps = async (...names: (keyof typeof fill)[]) => {
    for (const name of names) await run(name, fill[name]);
  };
  await steps('apps');
  await Promise.all([steps('subscriptions', 'periods', 'attempts'), steps('purchases', 'events')]);
  await Promise.all([steps('deliveries'), steps('actions'), steps('days')]);
  await Promise.all(indexes.map(({ name, create }) => run(name, create)));
  await steps('counters');
  await Promise.all(
    largeTables.map((table) => run(`vacuum ${table}`, `vacuum (analyze, parallel 0) ${table}`)),
  );
  await run('vacuum', 'vacuum statistic_day');
  await run('analyze', 'analyze');
  await run('checkpoint', 'checkpoint');
}

export async function indexesOf(client: Client): Promise<Index[]> {
  return (await client.query<Index>(readIndexes, [largeTables])).rows;
}

const fills = (counts: StoreCounts, now: number) => ({
  apps: `
    insert into app (package_name, client_id, app_number, name, client_secret_hash, created_at)
      select 'com.size.app' || n, 'com.size.app' || n, n, 'Game ' || n, decode(repeat('00', 32), 'hex'), 1
      from generate_series(0, ${apps - 1}) n;
    insert into access_token (package_name) select package_name from app;
    insert into product (package_name, product_id, type, period, price, currency, created_at, updated_at)
      select a.package_name, p.id, case when p.period is null then 'oneTime' else 'subscription' end, p.period, 499, 'EUR', 1, 1
      from app a, (values ('coins', null), ('gems', null), ('sub-P1W', 'P1W'), ('sub-P1M', 'P1M'), ('sub-P3M', 'P3M'),
        ('sub-P6M', 'P6M'), ('sub-P1Y', 'P1Y')) as p (id, period)`,
  subscriptions: subscriptions(counts.subscriptions, now),
  purchases: oneTimePurchases(counts.oneTime, now),
  periods: paidPeriods(),
  attempts: `
    insert into renewal_attempt (package_name, first_purchase_id, period_index, attempt, idempotency_key, due_time,
        begun_time, tries, outcome, settled_time, purchase_id, made_by, request_id)
      select package_name, first_purchase_id, period_index, 1, md5(purchase_id), start_time, start_time, 1, 'paid',
        start_time, purchase_id, 'job:renewals', 'r-' || purchase_id
      from purchase where period_index > 0`,
  events: events(counts, now),
  deliveries: `
    insert into webhook_delivery (package_name, event_order, event_id, event_type, event_time, purchase_id, subject,
        state, schedule_attempts, delivered_time, attempts)
      select package_name, event_order, 'evt_' || event_order || '_' || left(md5(event_order::text), 16), type, event_time,
        purchase_id, purchase_id, case when event_order % 1000 = 0 then 'dead' else 'delivered' end, 1,
        case when event_order % 1000 > 0 then event_time + 100 end,
        json_build_array(json_build_object('time', event_time, 'appTime', event_time, 'httpStatus', 204, 'latencyMs', 12.5,
          'response', '', 'isResponseCut', false))
      from event where package_name = '${largestApp}' and event_order > ${counts.events / 2 - counts.deliveries};
    insert into webhook (package_name, url, secret, cursor_order, created_at, updated_at)
      values ('${largestApp}', 'https://receiver.example/hooks', decode(repeat('00', 32), 'hex'), ${counts.events / 2}, 1, 1)`,
  actions: `
    insert into operator_action (package_name, action_order, made_at, operation_id, made_by, client_address, request_id,
        subject, reason_code, ticket)
      select package_name, row_number() over (partition by package_name order by voided_time, void_order), voided_time,
        'voidPurchase', 'operator:helpdesk', '127.0.0.1', 'v-' || purchase_id, purchase_id, 'customerRequest',
        'T-' || purchase_id
      from purchase where voided_time is not null`,
  counters: `
    insert into app_counter (package_name) select package_name from app;
    update app_counter c set event_order = e.last, counted_order = e.last
      from (select package_name, max(event_order) as last from event group by 1) as e where e.package_name = c.package_name;
    update app_counter c set void_order = v.last, last_voided_time = v.time, action_order = v.count
      from (select package_name, max(void_order) as last, max(voided_time) as time, count(*) as count
        from purchase where voided_time is not null group by 1) as v where v.package_name = c.package_name;
    update app_counter set counted_order = counted_order * 99 / 100 where package_name = '${largestApp}'`,
  days: `
    insert into statistic_day (package_name, day, product_id, currency, sold, sold_amount, trials, started,
        started_amount, renewed_first, renewed_first_amount, renewed_later, renewed_later_amount, voided, voided_amount,
        declined, lost, cancelled, expired, ended)
      select package_name, to_timestamp(purchase_time / 1000)::date, product_id, currency, count(*), sum(price), 0,
        count(*) filter (where period_index = 0), coalesce(sum(price) filter (where period_index = 0), 0),
        count(*) filter (where period_index > 0), coalesce(sum(price) filter (where period_index > 0), 0), 0, 0,
        count(voided_time), count(voided_time) * 499, 0, 0, 0, 0, 0
      from purchase group by 1, 2, 3, 4 order by 2`,
});

/** Three of five are renewing, two have ended. */
function subscriptions(count: number, now: number): string {
  const isActive = 'n / 5 % 5 < 3';
  const start = `(${now} - (case when ${isActive} then ${periods - 1} else ${2 * periods} end
    + (n % 9973) / 9973.0) * ${lengthMs})::bigint`;
  return `insert into subscription (package_name, first_purchase_id, product_id, first_start_time, time_zone, anchor_time,
      anchor_index, period, price, currency, developer_payload, buyer_id, auto_renewing, expiry_time, next_payment_time,
      last_period_index, last_purchase_id, last_start_time, expiry_event_written)
    select ${appOf('n')}, 'S-' || n, 'sub-' || ${period}, start, 'UTC', start, -1, ${period}, 499, 'EUR', 'payload-' || n,
      'b-' || n % ${buyers}, ${isActive}, start + ${periods} * length, case when ${isActive} then start + ${periods} * length end,
      ${periods - 1}, 'S-' || n || '-${periods - 1}', start + ${periods - 1} * length, not ${isActive}
    from (select n, ${start} as start, ${lengthMs} as length from generate_series(0, ${count - 1}) n) as s`;
}

function paidPeriods(): string {
  return `insert into purchase (package_name, purchase_id, product_id, buyer_id, purchase_time, developer_payload, price,
      currency, first_purchase_id, period_index, start_time, expiry_time, recorded_by)
    select package_name, first_purchase_id || case when k = 0 then '' else '-' || k end, product_id, buyer_id,
      first_start_time + k * (last_start_time - first_start_time) / ${periods - 1}, developer_payload, price, currency,
      first_purchase_id, k, first_start_time + k * (last_start_time - first_start_time) / ${periods - 1},
      first_start_time + (k + 1) * (last_start_time - first_start_time) / ${periods - 1},
      case when k = 0 then 'operator:checkout' else 'job:renewals' end
    from subscription, generate_series(0, ${periods - 1}) k`;
}

/** Over two years. */
function oneTimePurchases(count: number, now: number): string {
  const time = `${now} - ${730 * dayMs} + n * ${730 * dayMs} / ${count}`;
  const isVoided = `n % ${voidEvery} in (1, 4) and n / ${voidEvery} % 2 = 0`;
  const ifVoided = (value: string) => `case when ${isVoided} then ${value} end`;
  return `insert into purchase (package_name, purchase_id, product_id, order_id, buyer_id, purchase_time, developer_payload,
      price, currency, consumed_time, voided_time, void_order, void_reason, void_cause, recorded_by, recorded_from,
      recorded_request_id, voided_by)
    select ${appOf('n')}, 'P-' || n, case when n % 100 = 0 then 'gems' else 'coins' end, 'o-' || n, 'b-' || n % ${buyers},
      ${time}, 'payload-' || n, 499, 'EUR', case when n % 10 > 0 then ${time} + 1000 end, ${ifVoided(`${time} + 60000`)},
      ${ifVoided('n')}, ${ifVoided(`'1'`)}, ${ifVoided(`'customerRequest'`)}, 'operator:checkout', '10.1.0.12',
      'req-' || md5(n::text), ${ifVoided(`'operator:helpdesk'`)}
    from generate_series(0::bigint, ${count - 1}) n`;
}

/** Three of six are completed purchases, two consumed ones, and one is a renewal with its record. */
function events(counts: StoreCounts, now: number): string {
  const record = `json_build_object('startTime', e.time, 'expiryTime', e.time + 2592000000, 'nextPaymentTime',
    e.time + 2592000000, 'autoRenewing', true, 'price', 499, 'developerPayload', 'payload-' || e.n, 'purchaseState', 0)`;
  return `insert into event (package_name, event_order, type, event_time, purchase_id, first_purchase_id, product_id, record,
      made_by, request_id, written_at)
    select app, row_number() over (partition by app order by e.n), type, time, case when type like 's%' then id || '-3' else id end,
      case when type like 's%' then id end, case when type like 's%' then 'sub-P1M' else 'coins' end,
      case when type like 's%' then ${record} end, 'operator:checkout', 'req-' || md5(e.n::text), time
    from (select n, time, type,
        case when type like 's%' then ${appOf(`(n % ${counts.subscriptions})`)} else ${appOf('n')} end as app,
        case when type like 's%' then 'S-' || n % ${counts.subscriptions} else 'P-' || n end as id
      from (select n, ${now} - ${90 * dayMs} + n * ${90 * dayMs} / ${counts.events} as time,
          (array['purchase.completed', 'purchase.completed', 'purchase.completed', 'purchase.consumed',
            'purchase.consumed', 'subscription.renewed'])[1 + n / 2 % 6] as type
        from generate_series(0::bigint, ${counts.events - 1}) n) as t) as e`;
}
