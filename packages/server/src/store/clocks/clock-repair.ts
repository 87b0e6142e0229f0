// What a wrong clock left in the rows of an app more than 60 seconds ahead of now, and its correction
// (docs/decisions/clocks.md). The order of the statements is the order of locks, also that of an erasure.

import Type from 'typebox';
import { clockDifferenceSecondsMax } from '../../domain/clocks/clock-hold.ts';
import { dayMs } from '../../domain/time.ts';
import { retryDelayMaxMs } from '../../domain/webhooks/delivery-schedule.ts';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';
import { appNowSql } from '../sandbox/app-clocks.ts';

const aheadMs = clockDifferenceSecondsMax * 1000;

const selectApps = statement({
  name: 'select_apps_to_repair',
  text: `select package_name as "packageName" from app_counter where package_name <> '' order by package_name`,
  row: Type.Object({ packageName: Type.String() }),
});

// Served by the primary keys.
const selectAppNow = statement({
  name: 'select_app_time_to_repair',
  text: `select ${appNowSql('k', '$2::bigint')} as "appNow"
    from app_counter c left join app_clock k on k.package_name = $1 where c.package_name = $1`,
  row: Type.Object({ appNow: Type.Integer() }),
});

export async function listAppsToRepair(queryable: Queryable): Promise<string[]> {
  return (await queryable.rows(selectApps, [])).map(({ packageName }) => packageName);
}

const Repaired = Type.Object({ rows: Type.Integer(), latest: nullable(Type.Integer()) });

/** SQL for the time that replaces one that is ahead of it by more than `allowedMs`. */
const corrected = (column: string, now: string, allowedMs = aheadMs) =>
  `case when ${column} > ${now} + ${allowedMs} then ${now} else ${column} end`;

/** Parameters: the app, the database's time, the app's time, and the time of the voids that are corrected. */
const parameters =
  '(select $1::text as package_name, $2::bigint as now, $3::bigint as app_now, $4::bigint as void_time) as t';

interface Repair {
  readonly table: string;
  readonly key: string;
  /** SQL for the latest time of a row `r` that is ahead. */
  readonly latest: string;
  readonly condition: string;
  readonly changes: string;
}

function repairOf({ table, key, latest, condition, changes }: Repair) {
  return statement({
    name: `repair_${table}`,
    text: `with ahead as (
        select r.${key}, ${latest} as latest, t.now, t.app_now, t.void_time
        from ${table} r join ${parameters} on t.package_name = r.package_name
        where r.package_name = $1 and (${condition}) order by r.${key} for no key update of r
      ), changed as (
        update ${table} r set ${changes} from ahead t where r.package_name = $1 and r.${key} = t.${key})
      select count(*)::integer as rows, max(latest) as latest from ahead`,
    row: Repaired,
  });
}

const isAhead = (column: string, now = 't.now', allowedMs = aheadMs) => `${column} > ${now} + ${allowedMs}`;

/** Whether the void of the last month ended the subscription `r`. */
const lastMonthIsAhead = `exists (select from purchase p where p.package_name = $1 and p.purchase_id = r.last_purchase_id
  and ${isAhead('p.voided_time', '$3::bigint')})`;

const isLastMonth = `exists (select from subscription s where s.package_name = $1
  and s.first_purchase_id = r.first_purchase_id and s.last_purchase_id = r.purchase_id)`;

/** The times of a void are corrected together, so that none is skipped by a walk up to now. */
const repairs = {
  'enabled apps': repairOf({
    table: 'app',
    key: 'package_name',
    latest: 'r.enabled_at',
    condition: isAhead('r.enabled_at'),
    changes: 'enabled_at = t.now',
  }),
  'resumed renewals': repairOf({
    table: 'renewal_pause',
    key: 'package_name',
    latest: 'r.resumed_at',
    condition: isAhead('r.resumed_at'),
    changes: 'resumed_at = t.now',
  }),
  clocks: repairOf({
    table: 'app_clock',
    key: 'package_name',
    latest: 'greatest(r.real_time, r.lease_until)',
    condition: `${isAhead('r.real_time')} or ${isAhead('r.lease_until')}`,
    changes: 'real_time = least(r.real_time, t.now), lease_holder = null, lease_until = null',
  }),
  'leases of webhooks': repairOf({
    table: 'webhook',
    key: 'package_name',
    latest: 'r.lease_until',
    condition: isAhead('r.lease_until'),
    changes: 'lease_holder = null, lease_until = null',
  }),
  subscriptions: repairOf({
    table: 'subscription',
    key: 'first_purchase_id',
    latest: 'greatest(r.terminated_time, r.cancelled_time)',
    condition: `${isAhead('r.terminated_time', 't.app_now')} or ${isAhead('r.cancelled_time', 't.app_now')}`,
    changes: `terminated_time = ${corrected('r.terminated_time', 't.void_time')},
      cancelled_time = ${corrected('r.cancelled_time', 't.void_time')},
      expiry_time = case when ${lastMonthIsAhead} then least(r.expiry_time, t.void_time) else r.expiry_time end`,
  }),
  'leases of charges': repairOf({
    table: 'renewal_attempt',
    key: 'first_purchase_id',
    latest: 'r.lease_until',
    condition: isAhead('r.lease_until'),
    changes: 'lease_holder = null, lease_until = null',
  }),
  voids: repairOf({
    table: 'purchase',
    key: 'purchase_id',
    latest: 'r.voided_time',
    condition: isAhead('r.voided_time', 't.app_now'),
    changes: `voided_time = t.void_time,
      expiry_time = case when ${isLastMonth} then least(r.expiry_time, t.void_time) else r.expiry_time end`,
  }),
  events: repairOf({
    table: 'event',
    key: 'event_order',
    latest: 'r.written_at',
    condition: isAhead('r.written_at'),
    changes: 'written_at = t.now',
  }),
  deliveries: repairOf({
    table: 'webhook_delivery',
    key: 'event_order',
    latest: 'greatest(r.due_time, r.schedule_start)',
    condition: `r.state <> 'delivered' and (${isAhead('r.schedule_start', 't.app_now')}
      or ${isAhead('r.due_time', 't.app_now', retryDelayMaxMs + aheadMs)})`,
    changes: `schedule_start = ${corrected('r.schedule_start', 't.app_now')},
      due_time = ${corrected('r.due_time', 't.app_now', retryDelayMaxMs + aheadMs)}`,
  }),
  tokens: repairOf({
    table: 'access_token',
    key: 'package_name',
    latest: 'greatest(r.issued_at_seconds, r.cut_issued_at_seconds) * 1000',
    condition: `${isAhead('r.issued_at_seconds * 1000')} or ${isAhead('r.cut_issued_at_seconds * 1000')}`,
    changes: `issued_at_seconds = ${corrected('r.issued_at_seconds * 1000', 't.now')} / 1000,
      cut_issued_at_seconds = ${corrected('r.cut_issued_at_seconds * 1000', 't.now')} / 1000,
      cut_ends_at = ${corrected('r.cut_ends_at', 't.now', dayMs)}`,
  }),
  'last voids': repairOf({
    table: 'app_counter',
    key: 'package_name',
    latest: 'r.last_voided_time',
    condition: isAhead('r.last_voided_time', 't.app_now'),
    // A void that was committed since the others were corrected is never after the last one.
    changes: `last_voided_time = greatest(t.void_time, (select max(p.voided_time) from purchase p
      where p.package_name = $1 and p.voided_time is not null))`,
  }),
};

// Served by purchase_void_order, backwards.
const selectVoidTime = statement({
  name: 'select_void_time_to_repair',
  text: `select greatest($2::bigint, (select max(p.voided_time) from purchase p
    where p.package_name = $1 and p.voided_time <= $2::bigint + ${aheadMs})) as "voidTime"`,
  row: Type.Object({ voidTime: Type.Integer() }),
});

export interface ClockRepair {
  readonly packageName: string;
  readonly what: string;
  readonly rows: number;
  /** The latest of the times, in ms. */
  readonly latestTime: number;
}

/** Corrects the rows of one app, in the transaction of the caller. `now` is the database's time in that transaction. */
export async function repairApp(
  transaction: Queryable,
  { packageName, now }: { readonly packageName: string; readonly now: number },
): Promise<ClockRepair[]> {
  const [app] = await transaction.rows(selectAppNow, [packageName, now]);
  const appNow = app?.appNow ?? now;
  const [voids] = await transaction.rows(selectVoidTime, [packageName, appNow]);
  const values = [packageName, now, appNow, voids?.voidTime];
  const done: ClockRepair[] = [];
  for (const [what, repair] of Object.entries(repairs)) {
    const [repaired] = await transaction.rows(repair, values);
    if (repaired === undefined || repaired.latest === null) continue;
    done.push({ packageName, what, rows: repaired.rows, latestTime: repaired.latest });
  }
  return done;
}
