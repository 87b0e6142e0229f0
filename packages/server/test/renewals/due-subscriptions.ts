// Many due subscriptions, of which only the rows that renewals read are written.

import { query } from '../../../../test/support/query.ts';

/** An app that no client calls. */
export function insertApp(connection: object, packageName: string): Promise<unknown> {
  return query(
    connection,
    `insert into app (package_name, client_id, app_number, client_secret_hash, created_at)
      select '${packageName}', '${packageName}', count(*), '', 0 from app;
    insert into app_counter (package_name) values ('${packageName}')`,
  );
}

/** The subscriptions S-1 to S-<count> of an app; `start` and `due` are instants, or SQL that computes them from `n`. */
export function insertSubscriptions(
  connection: object,
  packageName: string,
  { count, start, due }: Readonly<Record<'start' | 'due', number | string>> & { readonly count: number },
): Promise<unknown> {
  return query(
    connection,
    `insert into subscription (package_name, first_purchase_id, product_id, first_start_time, time_zone, anchor_time,
        anchor_index, period, price, currency, developer_payload, auto_renewing, expiry_time, next_payment_time, last_period_index,
        last_purchase_id, last_start_time)
      select '${packageName}', 'S-' || n, 'monthly', ${start}, 'UTC', ${start}, -1, 'P1M', 499, 'EUR', '', true, ${due}, ${due}, 0,
        'S-' || n, ${start} from generate_series(1, ${count}) n`,
  );
}
