// Apps with webhooks and events for benchmarks, as the operations of a server leave them.

import type { Client } from 'pg';

export interface HookedApps {
  /** The names are this and a number from 1. */
  readonly prefix: string;
  readonly count: number;
  readonly url: string;
  /** App numbers begin after this one. */
  readonly appNumber: number;
}

/** Webhooks that are told of every event of their apps, the first one included. */
export async function addHookedApps(client: Client, apps: HookedApps): Promise<string[]> {
  const { prefix, count, url, appNumber } = apps;
  const names = Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
  const withNames = 'unnest($1::text[]) with ordinality as n (name, number)';
  await client.query(
    `insert into app (package_name, client_id, app_number, client_secret_hash, created_at)
      select name, name, $2 + number, '\\x00', 1700000000000 from ${withNames}`,
    [names, appNumber],
  );
  await client.query('insert into app_counter (package_name) select unnest($1::text[])', [names]);
  await client.query(
    `insert into webhook (package_name, url, secret, cursor_order, created_at, updated_at)
      select name, $2 || number, decode(repeat('07', 32), 'hex'), 0, 1700000000000, 1700000000000 from ${withNames}`,
    [names, url],
  );
  return names;
}

/** Purchases that were recorded, each with its event, for each of the apps. */
export async function addPurchases(
  client: Client,
  packageNames: readonly string[],
  { first, count, now }: { readonly first: number; readonly count: number; readonly now: number },
): Promise<void> {
  const numbers =
    'unnest($1::text[]) as name, generate_series($2::bigint, $2::bigint + $3::integer - 1) as n';
  const values = [packageNames, first, count, now];
  await client.query('begin');
  await client.query(
    `insert into purchase (package_name, purchase_id, product_id, purchase_time, developer_payload, price, currency)
      select name, 'B' || n, 'coins', $4, 'payload-' || n, 499, 'EUR' from ${numbers}`,
    values,
  );
  await client.query(
    `insert into event (package_name, event_order, type, event_time, purchase_id, product_id, made_by, request_id)
      select name, n, 'purchase.completed', $4, 'B' || n, 'coins', 'operator:bench', 'bench' from ${numbers}`,
    values,
  );
  await client.query('update app_counter set event_order = $2 where package_name = any($1::text[])', [
    packageNames,
    first + count - 1,
  ]);
  await client.query('commit');
}

/** Deliveries that have arrived and are written down. */
export async function countDelivered(client: Client, packageNames: readonly string[]): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::integer as count from webhook_delivery
      where package_name = any($1::text[]) and state = 'delivered'`,
    [packageNames],
  );
  return rows[0].count as number;
}
