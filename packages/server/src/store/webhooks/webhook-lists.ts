// Lists the webhooks of all apps, those with the most undelivered events first.

import { countedDeliveriesMax, DeliveryAttempt, DeliveryState } from '@opentill/contract/webhooks.ts';
import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { isAnyApp, nullable, statement } from '../connection/statement.ts';
import { appNowSql } from '../sandbox/app-clocks.ts';
import { oldestOfWebhook } from './webhook-delay.ts';

const countOf = (state: DeliveryState) => `(select count(*) from (select from webhook_delivery d
    where d.package_name = w.package_name and d.state = '${state}' limit ${countedDeliveriesMax}) as d)`;

const WebhookCounts = Type.Object({
  packageName: Type.String(),
  waiting: Type.Integer(),
  held: Type.Integer(),
  dead: Type.Integer(),
});
export type WebhookCounts = Static<typeof WebhookCounts>;

// Reads all of webhook; for each, served by webhook_delivery_failed, once for each state.
const selectWorst = statement({
  name: 'select_worst_webhooks',
  text: `select n.package_name as "packageName", n.waiting, n.held, n.dead from (
      select w.package_name, ${countOf('waiting')} as waiting, ${countOf('held')} as held, ${countOf('dead')} as dead
      from webhook w) as n
    where (-n.dead, -(n.waiting + n.held), n.package_name) > ($1::bigint, $2::bigint, $3::text)
    order by -n.dead, -(n.waiting + n.held), n.package_name limit $4`,
  row: WebhookCounts,
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
      oldest.event_time as "oldestTime", ${appNowSql('k', '$2::bigint')} - oldest.event_time as "waitedMs",
      last.event_id as "lastId", last.state as "lastState", last.event_time as "lastEventTime",
      last.attempts -> -1 as "lastAttempt"
    from webhook w join app a on a.package_name = w.package_name
    left join app_clock k on k.package_name = w.package_name
    left join lateral (select min(o.event_time) as event_time from (${oldestOfWebhook(isAnyApp)}) as o) as oldest on true
    left join lateral (select d.event_id, d.state, d.event_time, d.attempts from webhook_delivery d
      where d.package_name = w.package_name order by d.event_order desc limit 1) as last on true
    where w.package_name = any($1::text[])`,
  row: WebhookFacts,
});

/** The position of a webhook in the list. */
export interface WebhookPosition {
  readonly packageName: string;
  readonly dead: number;
  /** Waiting or held. */
  readonly open: number;
}

interface WebhookPage {
  /** undefined for the first page. */
  readonly after: WebhookPosition | undefined;
  readonly limit: number;
}

/** Most dead deliveries first, then most open ones, then by package name; counts end at countedDeliveriesMax. */
export function listWorstWebhooks(
  queryable: Queryable,
  { after, limit }: WebhookPage,
): Promise<WebhookCounts[]> {
  const position =
    after === undefined ? [-countedDeliveriesMax - 1, 0, ''] : [-after.dead, -after.open, after.packageName];
  return queryable.rows(selectWorst, [...position, limit]);
}

/** By package name, without webhooks that have been deleted. */
export async function readWebhookFacts(
  queryable: Queryable,
  { packageNames, realNow }: { readonly packageNames: readonly string[]; readonly realNow: number },
): Promise<ReadonlyMap<string, WebhookFacts>> {
  const rows = await queryable.rows(selectFacts, [packageNames, realNow]);
  return new Map(rows.map((row) => [row.packageName, row]));
}
