// Leases of webhooks, so that one server at a time delivers for each. The scan for webhooks with work only reads; leases are
// then acquired by name (docs/decisions/events.md).

import Type from 'typebox';
import { clockLeaseMs, webhookLeaseMs } from '../../domain/clocks/leases.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { isLeasedSql } from '../clocks/leases.ts';
import type { JobDatabase, Queryable } from '../connection/database.ts';
import { type Statement, statement } from '../statements/statement.ts';

const OfWebhook = Type.Object({ packageName: Type.String() });
type OfWebhook = { readonly packageName: string };

// Unleased webhooks with new events or due deliveries, longest unserved first; they wait while their app is disabled or its
// clock is advanced. Reads all of webhook, and for each webhook its rows of app, app_counter and app_clock by the primary keys
// and the first entry of webhook_delivery_due, which the limit enforces: the cost does not depend on the number of deliveries.
const selectWebhooksWithWork = statement({
  name: 'select_webhooks_with_work',
  text: `select w.package_name as "packageName" from webhook w
    join app a on a.package_name = w.package_name and a.disabled_at is null
    join app_counter c on c.package_name = w.package_name
    left join app_clock k on k.package_name = w.package_name
    where not ${isLeasedSql('w.lease_until', '$1::bigint', webhookLeaseMs)}
      and not ${isLeasedSql('k.lease_until', '$1::bigint', clockLeaseMs)}
      and (c.event_order > w.cursor_order or (select d.due_time from webhook_delivery d
        where d.package_name = w.package_name and d.state = 'waiting' order by d.due_time limit 1
      ) <= ${appTimeSql('k', '$1::bigint')})
    order by w.served_at limit $2`,
  row: OfWebhook,
});

/** The package names of unleased webhooks that have something to deliver now, each by the clock of its app. */
export async function listWebhooksWithWork(
  queryable: Queryable,
  { realNow, limit }: { readonly realNow: number; readonly limit: number },
): Promise<string[]> {
  const rows = await queryable.rows(selectWebhooksWithWork, [realNow, limit]);
  return rows.map(({ packageName }) => packageName);
}

/** SQL that changes the webhooks among $1 with a condition; a locked one is skipped. Served by the primary key. */
const leaseText = (condition: string, values: string) => `with found as (
      select package_name from webhook where package_name = any($1::text[]) and ${condition}
      order by package_name for no key update skip locked)
    update webhook w set ${values}
    from found where w.package_name = found.package_name and w.package_name = any($1::text[])
    returning w.package_name as "packageName"`;

const acquireLeases = statement({
  name: 'acquire_webhook_leases',
  text: leaseText(
    `not ${isLeasedSql('lease_until', '$2::bigint', webhookLeaseMs)}`,
    'lease_holder = $3, lease_until = $4, served_at = $2',
  ),
  row: OfWebhook,
});

const extendLeases = statement({
  name: 'extend_webhook_leases',
  text: leaseText('lease_holder = any($2::text[])', 'lease_until = $3'),
  row: OfWebhook,
});

/** Returns the package names of the webhooks whose leases were free. */
export async function acquireWebhookLeases(
  database: JobDatabase,
  packageNames: readonly string[],
  { holder, realNow }: { readonly holder: string; readonly realNow: number },
): Promise<string[]> {
  return change(database, acquireLeases, packageNames, [realNow, holder, realNow + webhookLeaseMs]);
}

/** Extends those leases of the webhooks that have one of the holders. */
export async function extendWebhookLeases(
  database: JobDatabase,
  packageNames: readonly string[],
  { holders, realNow }: { readonly holders: readonly string[]; readonly realNow: number },
): Promise<void> {
  await change(database, extendLeases, packageNames, [holders, realNow + webhookLeaseMs]);
}

/** On a cluster, each webhook is changed by a statement of its own. */
async function change(
  database: JobDatabase,
  leases: Statement<OfWebhook>,
  packageNames: readonly string[],
  values: readonly unknown[],
): Promise<string[]> {
  const together = database.isDistributed ? packageNames.map((name) => [name]) : [packageNames];
  const changed = await Promise.all(together.map((names) => database.rows(leases, [names, ...values])));
  return changed.flat().map(({ packageName }) => packageName);
}
