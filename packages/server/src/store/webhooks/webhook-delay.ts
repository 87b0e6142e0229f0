// Finds how long the oldest undelivered event has been waiting.

import Type from 'typebox';
import { appTimeSql } from '../clocks/app-time.ts';
import type { Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';

/** SQL for the times of the oldest waiting event of the webhook `w`, and of the oldest without a delivery. */
export const oldestOfWebhook = `(select d.event_time from webhook_delivery d
      where d.package_name = w.package_name and d.state = 'waiting'
      and d.delivered_time is null order by d.event_order limit 1)
    union all
    (select e.event_time from event e where e.package_name = w.package_name and e.event_order > w.cursor_order
      order by e.event_order limit 1)`;

// Dead deliveries do not count. Reads all of webhook; for each, served by webhook_delivery_failed, once for each state, and by
// the primary keys of event and app_clock.
const selectOldest = statement({
  name: 'select_oldest_undelivered',
  text: `select coalesce(max(${appTimeSql('k', '$1::bigint')} - oldest.event_time), 0) as "longestMs" from webhook w
    join app a on a.package_name = w.package_name and a.disabled_at is null
    left join app_clock k on k.package_name = w.package_name
    cross join lateral (${oldestOfWebhook}) as oldest`,
  row: Type.Object({ longestMs: Type.Integer() }),
});

/** The longest wait of all webhooks, in ms by the clocks of their apps; 0 if every event is delivered or dead. */
export async function findOldestUndelivered(queryable: Queryable, realNow: number): Promise<number> {
  const [waited] = await queryable.rows(selectOldest, [realNow]);
  return waited?.longestMs ?? 0;
}
