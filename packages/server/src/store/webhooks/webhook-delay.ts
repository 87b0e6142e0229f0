// Finds how long the oldest undelivered event has been waiting.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { appNowSql } from '../sandbox/app-clocks.ts';

/** SQL for the times of the oldest waiting event of the webhook `w`, and of the oldest without a delivery. */
export const oldestOfWebhook = `(select d.event_time from webhook_delivery d
      where d.package_name = w.package_name and d.state = 'waiting'
      and d.delivered_time is null order by d.event_order limit 1)
    union all
    (select e.event_time from event e where e.package_name = w.package_name and e.event_order > w.cursor_order
      order by e.event_order limit 1)`;

// Dead deliveries do not count. Reads all of webhook; for each, served by webhook_delivery_failed, once for each
// state, and by the primary key of event.
const oldestText = ({ join, now }: { join: string; now: string }) => `
  select coalesce(max(${now} - oldest.event_time), 0) as "longestMs",
    coalesce(min(${now} - oldest.event_time), 0) as "shortestMs" from webhook w
  join app a on a.package_name = w.package_name and a.disabled_at is null ${join}
  cross join lateral (${oldestOfWebhook}) as oldest`;

const Waited = Type.Object({ longestMs: Type.Integer(), shortestMs: Type.Integer() });
/** How long the oldest event of each webhook has waited, in ms by the clock of its app; negative if it is dated ahead. */
export type Waited = Static<typeof Waited>;

const selectOldest = statement({
  name: 'select_oldest_undelivered',
  text: oldestText({ join: '', now: '$1::bigint' }),
  row: Waited,
});
const selectOldestOfSandbox = statement({
  name: 'select_oldest_undelivered_of_sandbox',
  text: oldestText({
    join: 'left join app_clock k on k.package_name = w.package_name',
    now: appNowSql('k', '$1::bigint'),
  }),
  row: Waited,
});

/** The longest and the shortest wait of all webhooks; both are 0 if every event is delivered or dead. */
export async function findOldestUndelivered(
  queryable: Queryable,
  { isSandbox, realNow }: { readonly isSandbox: boolean; readonly realNow: number },
): Promise<Waited> {
  const [waited] = await queryable.rows(isSandbox ? selectOldestOfSandbox : selectOldest, [realNow]);
  return waited as Waited;
}
