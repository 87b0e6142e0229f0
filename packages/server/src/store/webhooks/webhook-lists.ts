// Lists the webhooks of all apps, worst first.

import { PackageName } from '@opentill/contract/fields.ts';
import { countedDeliveriesMax, DeliveryAttempt, DeliveryState } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import { appTimeSql } from '../clocks/app-time.ts';
import type { Queryable } from '../connection/database.ts';
import { filtered } from '../statements/filtered.ts';
import { type Page, type PageRequest, pageOf } from '../statements/paged-list.ts';
import { nullable, statement } from '../statements/statement.ts';
import { oldestOfWebhook } from './webhook-delay.ts';

const countOf = (state: DeliveryState) => `(select count(*) from (select from webhook_delivery d
    where d.package_name = w.package_name and d.state = '${state}' limit ${countedDeliveriesMax}) as d)`;

/** SQL for the latest delivery of the webhook `w` that was attempted. */
const latestAttempted = (columns: string) => `select ${columns} from webhook_delivery d
      where d.package_name = w.package_name and json_array_length(d.attempts) > 0 order by d.event_order desc limit 1`;

const WebhookCounts = Type.Object({
  packageName: Type.String(),
  /** The latest attempted event is not delivered, and deliveries wait. */
  failing: Type.Boolean(),
  waiting: Type.Integer(),
  held: Type.Integer(),
  dead: Type.Integer(),
  /** Waiting or held. */
  open: Type.Integer(),
});
export type WebhookCounts = Static<typeof WebhookCounts>;

// Reads all of webhook; for each, served by webhook_delivery_failed, once for each state, and by the primary key of
// webhook_delivery.
const selectWorst = filtered({
  name: 'select_worst_webhooks',
  row: WebhookCounts,
  filters: {
    after:
      '(not n.failing, -n.dead, -n.open, n.package_name) > (not $failing::boolean, -$dead::bigint, -$open::bigint, $packageName)',
  },
  text: (where) => `select n.package_name as "packageName", n.failing, n.waiting, n.held, n.dead, n.open
    from (select counted.*, waiting + held as open, waiting > 0 and coalesce(has_failed, false) as failing from (
      select w.package_name, ${countOf('waiting')} as waiting, ${countOf('held')} as held, ${countOf('dead')} as dead,
        (${latestAttempted("d.state <> 'delivered'")}) as has_failed
      from webhook w) as counted) as n
    where ${where()} order by not n.failing, -n.dead, -n.open, n.package_name limit $limit`,
});

const WebhookFacts = Type.Object({
  packageName: Type.String(),
  name: nullable(Type.String()),
  url: Type.String(),
  isDisabled: Type.Boolean(),
  oldestTime: nullable(Type.Integer()),
  waitedMs: nullable(Type.Integer()),
  lastId: nullable(Type.String()),
  lastState: nullable(DeliveryState),
  lastEventTime: nullable(Type.Integer()),
  lastAttempt: nullable(DeliveryAttempt),
});
export type WebhookFacts = Static<typeof WebhookFacts>;

// Served by the primary keys, and by webhook_delivery_failed.
const selectFacts = statement({
  name: 'select_webhook_facts',
  text: `select w.package_name as "packageName", a.name, w.url, a.disabled_at is not null as "isDisabled",
      oldest.event_time as "oldestTime", ${appTimeSql('k', '$2::bigint')} - oldest.event_time as "waitedMs",
      last.event_id as "lastId", last.state as "lastState", last.event_time as "lastEventTime",
      last.attempts -> -1 as "lastAttempt"
    from webhook w join app a on a.package_name = w.package_name
    left join app_clock k on k.package_name = w.package_name
    left join lateral (select min(o.event_time) as event_time from (${oldestOfWebhook}) as o) as oldest on true
    left join lateral (${latestAttempted('d.event_id, d.state, d.event_time, d.attempts')}) as last on true
    where w.package_name = any($1::text[])`,
  row: WebhookFacts,
});

/** The position of a webhook in the list. */
export const WebhookPosition = Type.Object({
  packageName: PackageName,
  failing: Type.Boolean(),
  dead: Type.Integer({ minimum: 0, maximum: countedDeliveriesMax }),
  open: Type.Integer({ minimum: 0, maximum: 2 * countedDeliveriesMax }),
});

/** Failing ones first, then most dead deliveries, then most open ones, then by package name; counts end at countedDeliveriesMax. */
export async function listWorstWebhooks(
  queryable: Queryable,
  { after, limit }: PageRequest<Static<typeof WebhookPosition>>,
): Promise<Page<WebhookCounts>> {
  return pageOf(await selectWorst(queryable, { after, ...after, limit: limit + 1 }), limit);
}

/** By package name, without webhooks that have been deleted. */
export async function readWebhookFacts(
  queryable: Queryable,
  { packageNames, realNow }: { readonly packageNames: readonly string[]; readonly realNow: number },
): Promise<ReadonlyMap<string, WebhookFacts>> {
  const rows = await queryable.rows(selectFacts, [packageNames, realNow]);
  return new Map(rows.map((row) => [row.packageName, row]));
}
