// How many attempts of each webhook began in each hour, and how they ended.

import { agedAppsScan } from '../apps/app-scan.ts';
import { NoRow, type Queryable, statement } from '../connection/statement.ts';
import { arrayParameters, columnArrays, columnNames, type ValuesOf } from '../tables/table.ts';
import { webhookHour } from '../tables/webhooks.ts';

export type HourAttempts = ValuesOf<typeof webhookHour>;

const names = columnNames(webhookHour);

/** SQL that adds attempts to hours; `source` selects the rows to add. */
export const addHoursText = (source: string) => `
  insert into webhook_hour as o (package_name, ${names}) ${source}
  on conflict (package_name, hour) do update set attempts = o.attempts + excluded.attempts,
    failed = o.failed + excluded.failed, within_100 = o.within_100 + excluded.within_100,
    within_1000 = o.within_1000 + excluded.within_1000`;

// Served by the primary key.
const addHours = statement({
  name: 'add_webhook_hours',
  text: addHoursText(`select $1, ${names} from unnest(${arrayParameters(webhookHour, 2)}) as h (${names})`),
  row: NoRow,
});

// Served by the primary key.
const deleteHours = statement({
  name: 'delete_webhook_hours',
  text: 'delete from webhook_hour where package_name = $1 and hour < $2',
  row: NoRow,
});

/** Adds attempts of a webhook that the transaction has locked. */
export async function addWebhookHours(
  transaction: Queryable,
  packageName: string,
  hours: readonly HourAttempts[],
): Promise<void> {
  if (hours.length === 0) return;
  await transaction.rows(addHours, [packageName, ...columnArrays(webhookHour, hours)]);
}

/** Apps whose oldest hour began before a real instant. */
export const listAppsWithAgedHours = agedAppsScan({
  name: 'select_apps_with_aged_hours',
  table: 'webhook_hour',
  order: 'hour',
  age: 'hour',
});

/** Removes the hours of an app that began before a real instant. */
export async function removeHours(queryable: Queryable, packageName: string, before: number): Promise<void> {
  await queryable.rows(deleteHours, [packageName, before]);
}
