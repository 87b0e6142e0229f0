// Writes the results of deliveries, many at a time, under the lease of their webhook, and keeps the deliveries of each
// subject in order (docs/decisions/events.md).

import Type from 'typebox';
import { coalesced } from '../connection/coalesced.ts';
import type { JobDatabase, Queryable } from '../connection/database.ts';
import { NoRow, statement } from '../connection/statement.ts';
import { arrayParameters, columnArrays, columnNames } from '../tables/table.ts';
import { webhookDelivery, webhookHour } from '../tables/webhooks.ts';
import type { DeliveryRow } from './undelivered-events.ts';
import { addHoursText, addWebhookHours, type HourAttempts } from './webhook-hours.ts';
import { webhookRecord } from './webhooks.ts';

/** A delivery after an attempt, or before the first if it has to wait. */
export type DeliveryRecord = Omit<DeliveryRow, 'packageName'>;

export interface DeliveryWrite {
  readonly packageName: string;
  /** The holder of the lease: if the webhook has another holder, nothing is written. */
  readonly holder: string;
  /** After the write, all events up to this order have a delivery or need none. */
  readonly cursorOrder: number;
  /** Real time; null releases the lease. */
  readonly leaseUntil: number | null;
  readonly records: readonly DeliveryRecord[];
  /** The attempts that the records describe. */
  readonly hours: readonly HourAttempts[];
}

const moved = `cursor_order = greatest(w.cursor_order, h.cursor_order), lease_until = h.lease_until,
  lease_holder = case when h.lease_until is null then null else h.holder end`;

const recordNames = columnNames(webhookDelivery);
const hourNames = columnNames(webhookHour);

/** Parameters before those of the records, and before those of the hours. */
const recordsAfter = 6;
const hoursAfter = recordsAfter + Object.keys(webhookDelivery.columns).length + 1;

// A locked webhook is skipped and written alone. Served by the primary keys.
const writeDelivered = statement({
  name: 'write_delivered',
  text: `with held as (
      select w.package_name, r.holder, r.cursor_order, r.lease_until
      from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
        as r (package_name, holder, cursor_order, lease_until)
      join webhook w on w.package_name = r.package_name and w.lease_holder = r.holder
      where w.package_name = any($5::text[])
      order by w.package_name for no key update of w skip locked
    ), moved as (
      update webhook w set ${moved} from held h
      where w.package_name = h.package_name and w.package_name = any($5::text[])
    ), written as (
      insert into webhook_delivery (package_name, ${recordNames})
      select r.package_name, ${recordNames}
      from unnest($${recordsAfter}::text[], ${arrayParameters(webhookDelivery, recordsAfter + 1)}) as r (package_name, ${recordNames})
      join held on held.package_name = r.package_name
      on conflict (package_name, event_order) do nothing
    ), counted as (
      ${addHoursText(`select r.package_name, ${hourNames}
      from unnest($${hoursAfter}::text[], ${arrayParameters(webhookHour, hoursAfter + 1)}) as r (package_name, ${hourNames})
      join held on held.package_name = r.package_name`)}
    )
    select package_name as "packageName" from held`,
  row: Type.Object({ packageName: Type.String() }),
});

// Served by the primary key.
const moveWebhook = statement({
  name: 'move_webhook',
  text: `update webhook w set ${moved}
    from (select $1::text as package_name, $2::text as holder, $3::bigint as cursor_order,
      $4::bigint as lease_until) as h
    where w.package_name = h.package_name and w.lease_holder = h.holder returning w.package_name as "packageName"`,
  row: Type.Object({ packageName: Type.String() }),
});

/** The delivery was rescheduled while a failing attempt was in flight: keep the new schedule. */
const isReopened = `excluded.state <> 'delivered' and d.schedule_attempts < excluded.schedule_attempts - 1`;
const unlessReopened = (column: string) =>
  `${column} = case when ${isReopened} then d.${column} else excluded.${column} end`;

// Served by the primary key.
const putRecords = statement({
  name: 'put_delivery_records',
  text: `insert into webhook_delivery as d (package_name, ${recordNames})
    select $1, ${recordNames} from unnest(${arrayParameters(webhookDelivery, 2)}) as r (${recordNames})
    on conflict (package_name, event_order) do update set ${unlessReopened('state')},
      ${unlessReopened('due_time')}, ${unlessReopened('schedule_start')}, ${unlessReopened('schedule_attempts')},
      delivered_time = coalesce(d.delivered_time, excluded.delivered_time), attempts = excluded.attempts`,
  row: NoRow,
});

/** SQL for the order of the earliest open delivery of a subject: all others of the subject wait for it. */
const earliestOpen = (subject: string) => `(select min(e.event_order) from webhook_delivery e
    where e.package_name = $1 and e.subject = ${subject} and e.state in ('waiting', 'held')
      and e.delivered_time is null)`;

// Served by the primary key, and by webhook_delivery_open for the earliest delivery of each subject. The array keeps the
// planner from a join, which would visit all open deliveries of a subject once for each of them.
const holdBack = (condition: string) => `update webhook_delivery d set state = 'held', due_time = null
    where d.package_name = $1 and d.event_order = any(array(
      select w.event_order from webhook_delivery w
      where w.package_name = $1 and ${condition} and w.state = 'waiting' and w.delivered_time is null
        and w.event_order > ${earliestOpen('w.subject')}))`;
const holdBackWritten = statement({
  name: 'hold_back_written_deliveries',
  text: holdBack('w.event_order = any($2::bigint[])'),
  row: NoRow,
});
// Reads the open deliveries of the subjects. Served by webhook_delivery_open and the primary key.
const holdBackSubjects = statement({
  name: 'hold_back_deliveries_of_subjects',
  text: holdBack('w.subject = any($2::text[])'),
  row: NoRow,
});
// Served by webhook_delivery_open and the primary key.
const releaseEarliest = statement({
  name: 'release_deliveries',
  text: `update webhook_delivery d set state = 'waiting', due_time = $3
    where d.package_name = $1 and d.state = 'held' and d.event_order = any(array(
      select ${earliestOpen('s.subject')} from unnest($2::text[]) as s (subject)))`,
  row: NoRow,
});

interface Arrangement {
  readonly packageName: string;
  /** With duplicates; null for events that wait for no other. */
  readonly subjects: readonly (string | null)[];
  /** The app's instant, at which released deliveries become due. */
  readonly now: number;
  /** The orders of the deliveries that may have to wait for an earlier one, if known. */
  readonly written?: readonly number[];
}

/**
 * Restores the order of open deliveries after a change: the earliest of each subject is due, and the others wait for it.
 * The transaction has locked the webhook.
 */
export async function arrangeSubjects(
  transaction: Queryable,
  { packageName, subjects: given, now, written }: Arrangement,
): Promise<void> {
  const subjects = [...new Set(given)].filter((subject) => subject !== null);
  if (subjects.length === 0) return;
  if (written === undefined) await transaction.rows(holdBackSubjects, [packageName, subjects]);
  else await transaction.rows(holdBackWritten, [packageName, written]);
  await transaction.rows(releaseEarliest, [packageName, subjects, now]);
}

/**
 * Writes deliveries that succeeded at their first attempt, so that nothing waits for them. Many webhooks share a
 * statement, except on a cluster. Returns false, with nothing written, if the lease is lost or the webhook is locked.
 */
export function deliveredWriter(database: JobDatabase): (write: DeliveryWrite) => Promise<boolean> {
  if (database.isDistributed) return (write) => writeRecords(database, write, undefined);
  const limits = { batchMax: 100, inFlightMax: 2 };
  return coalesced(database, limits, async (writes: readonly DeliveryWrite[]) => {
    const records = writes.flatMap(({ packageName, records: own }) =>
      own.map((record) => ({ ...record, packageName })),
    );
    const hours = writes.flatMap(({ packageName, hours: own }) =>
      own.map((hour) => ({ ...hour, packageName })),
    );
    const packageNames = writes.map(({ packageName }) => packageName);
    const rows = await database.rows(writeDelivered, [
      packageNames,
      writes.map(({ holder }) => holder),
      writes.map(({ cursorOrder }) => cursorOrder),
      writes.map(({ leaseUntil }) => leaseUntil),
      packageNames,
      records.map(({ packageName }) => packageName),
      ...columnArrays(webhookDelivery, records),
      hours.map(({ packageName }) => packageName),
      ...columnArrays(webhookHour, hours),
    ]);
    const written = new Set(rows.map(({ packageName }) => packageName));
    return packageNames.map((packageName) => written.has(packageName));
  });
}

/**
 * Writes any records of one webhook and releases the deliveries that waited for them. `now` is the app's instant;
 * undefined if no delivery waits for them. Returns false, with nothing written, if the lease is lost.
 */
export function writeRecords(
  database: JobDatabase,
  { packageName, holder, cursorOrder, leaseUntil, records, hours }: DeliveryWrite,
  now: number | undefined,
): Promise<boolean> {
  return database.transaction({ packageName, record: webhookRecord }, async (transaction) => {
    const held = await transaction.rows(moveWebhook, [packageName, holder, cursorOrder, leaseUntil]);
    if (held.length === 0) return false;
    await addWebhookHours(transaction, packageName, hours);
    if (records.length === 0) return true;
    await transaction.rows(putRecords, [packageName, ...columnArrays(webhookDelivery, records)]);
    if (now === undefined) return true;
    const subjects = records.map(({ subject }) => subject);
    const written = records.map(({ eventOrder }) => eventOrder);
    await arrangeSubjects(transaction, { packageName, subjects, now, written });
    return true;
  });
}
