// Finds due renewals, retries of open attempts and expiries. These statements only read: each item is checked again under
// a lock (docs/decisions/subscriptions.md).

import Type, { type Static } from 'typebox';
import { attemptLeaseMs, clockLeaseMs } from '../../domain/clocks/leases.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { isLeasedSql } from '../clocks/leases.ts';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';

const DueRenewal = Type.Object({
  firstPurchaseId: Type.String(),
  dueTime: Type.Integer(),
  expiryTime: Type.Integer(),
});
/** A subscription with due work at `dueTime`, an instant of the app; it is paid until `expiryTime`. */
export type DueRenewal = Static<typeof DueRenewal>;

const DueApp = Type.Object({
  packageName: Type.String(),
  /** Of the oldest due item. */
  dueTime: Type.Integer(),
  /** The app's instant. */
  now: Type.Integer(),
});
/** An app with due items. */
export type DueApp = Static<typeof DueApp>;

// Served by subscription_due_of_app, in its order; the lease of an open attempt by renewal_attempt_open.
const selectDueOfApp = statement({
  name: 'select_due_renewals_of_app',
  text: `select s.first_purchase_id as "firstPurchaseId", s.due_time as "dueTime", s.expiry_time as "expiryTime"
    from subscription s
    where s.package_name = $1 and s.due_time <= $2
      and (s.open_charge_time is null or $3::bigint is null or not exists (
        select from renewal_attempt a where a.package_name = $1
          and a.first_purchase_id = s.first_purchase_id and a.outcome is null 
          and ${isLeasedSql('a.lease_until', '$3::bigint', attemptLeaseMs)}))
    order by s.due_time, s.first_purchase_id limit $4`,
  row: DueRenewal,
});

/**
 * Due items that a scan reads to find their apps. If there are more, it continues app by app, so that an app with a
 * million due items costs no more than any other and hides none.
 */
const dueItemsMax = 1_000;

// Served by subscription_due.
const selectAppsOfDueItems = statement({
  name: 'select_apps_of_due_items',
  text: `select package_name as "packageName", min(due_time) as "dueTime", $1::bigint as now,
      count(*)::integer as "itemCount"
    from (select package_name, due_time from subscription
      where due_time <= $1::bigint order by due_time limit ${dueItemsMax}) as due
    group by package_name order by min(due_time)`,
  row: Type.Object({ ...DueApp.properties, itemCount: Type.Integer() }),
});

const dueAppsText = (condition: string): string => `
  select c.package_name as "packageName", due.due_time as "dueTime", $1::bigint as now from app_counter c
  cross join lateral (select s.due_time from subscription s
    where s.package_name = c.package_name and s.due_time <= $1::bigint
    order by s.due_time limit 1) as due
  where c.package_name <> all($2::text[]) and ${condition}
  order by due.due_time limit $3`;

// Served by subscription_due_of_app, once for each app.
const selectDueApps = statement({
  name: 'select_due_apps',
  text: dueAppsText('true'),
  row: DueApp,
});
const selectDueAppsWithoutClock = statement({
  name: 'select_due_apps_without_clock',
  text: dueAppsText('not exists (select from app_clock k where k.package_name = c.package_name)'),
  row: DueApp,
});

// Served by subscription_due_of_app, once for each of the apps.
const selectDueAppsAmong = statement({
  name: 'select_due_apps_of',
  text: `select c.package_name as "packageName", due.due_time as "dueTime", $1::bigint as now
    from app_counter c
    cross join lateral (select s.due_time from subscription s
      where s.package_name = c.package_name and s.due_time <= $1::bigint
      order by s.due_time limit 1) as due
    where c.package_name = any($2::text[])
    order by array_position($2::text[], c.package_name) limit $3`,
  row: DueApp,
});

// Served by subscription_due_of_app, once for each app that has a clock and is not being advanced.
const selectDueAppsWithClock = statement({
  name: 'select_due_apps_with_clock',
  text: `select c.package_name as "packageName", due.due_time as "dueTime", c.now from (
      select package_name, ${appTimeSql('app_clock', '$1::bigint')} as now from app_clock
      where package_name <> all($2::text[]) and not ${isLeasedSql('lease_until', '$1::bigint', clockLeaseMs)}) as c
    cross join lateral (select s.due_time from subscription s
      where s.package_name = c.package_name and s.due_time <= c.now
      order by s.due_time limit 1) as due
    order by c.now - due.due_time desc limit $3`,
  row: DueApp,
});

// Served by renewal_attempt_waiting.
const selectOldestOpenAttempt = statement({
  name: 'select_oldest_open_attempt',
  text: `select min(due_time) as "dueTime" from renewal_attempt
    where outcome is null and next_try_time is not null`,
  row: Type.Object({ dueTime: nullable(Type.Integer()) }),
});

interface DueOfApp {
  readonly packageName: string;
  /** An instant of the app; what is due at it is listed too. */
  readonly until: number;
  /** A real instant: attempts with a lease that ends later are skipped. Null ignores leases. */
  readonly unleasedAt: number | null;
  readonly limit: number;
}

/** What is due in one app, in order of due time and then of id. */
export function listDueRenewalsOfApp(queryable: Queryable, due: DueOfApp): Promise<DueRenewal[]> {
  return queryable.rows(selectDueOfApp, [due.packageName, due.until, due.unleasedAt, due.limit]);
}

export interface DueScan {
  /** Apps to skip. */
  readonly except: readonly string[];
  readonly limit: number;
  /** The real instant. */
  readonly now: number;
}

/** Apps with items that are due in real time, those with the oldest first. */
export async function listDueApps(queryable: Queryable, { now, except, limit }: DueScan): Promise<DueApp[]> {
  const apps = await queryable.rows(selectAppsOfDueItems, [now]);
  const hasAll = apps.reduce((count, { itemCount }) => count + itemCount, 0) < dueItemsMax;
  if (!hasAll) return queryable.rows(selectDueApps, [now, except, limit]);
  return apps.filter(({ packageName }) => !except.includes(packageName)).slice(0, limit);
}

/** The apps of `among` with items that are due in real time, in the order of `among`. */
export function listDueAppsAmong(
  queryable: Queryable,
  { now, among, limit }: Pick<DueScan, 'now' | 'limit'> & { readonly among: readonly string[] },
): Promise<DueApp[]> {
  return queryable.rows(selectDueAppsAmong, [now, among, limit]);
}

/** Apps of the sandbox with items that are due by their own clocks; apps that are being advanced are skipped. */
export async function listDueAppsOfSandbox(
  queryable: Queryable,
  { now, except, limit }: DueScan,
): Promise<DueApp[]> {
  const inRealTime = await queryable.rows(selectDueAppsWithoutClock, [now, except, limit]);
  return [...inRealTime, ...(await queryable.rows(selectDueAppsWithClock, [now, except, limit]))];
}

/** When the oldest attempt that is still sent to the gateway fell due; undefined if there is none. */
export async function findOldestOpenAttempt(queryable: Queryable): Promise<number | undefined> {
  const [oldest] = await queryable.rows(selectOldestOpenAttempt, []);
  return oldest?.dueTime ?? undefined;
}
