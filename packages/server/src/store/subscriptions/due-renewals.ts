// Finds due renewals, retries of open attempts and expiries. These statements only read: each item is checked again under
// a lock (docs/decisions/subscriptions.md).

import { Period } from '@opentill/contract/periods.ts';
import Type, { type Static } from 'typebox';
import { clockLeaseMs } from '../../domain/clocks/leases.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import { isLeasedSql } from '../clocks/leases.ts';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../statements/statement.ts';

const DueRenewal = Type.Object({
  firstPurchaseId: Type.String(),
  dueTime: Type.Integer(),
  expiryTime: Type.Integer(),
  period: Period,
});
/** A subscription with due work at `dueTime`, an instant of the app; it is paid until `expiryTime`. */
export type DueRenewal = Static<typeof DueRenewal>;

const DueApp = Type.Object({
  packageName: Type.String(),
  /** When the oldest item fell due. */
  dueTime: Type.Integer(),
  /** The app's instant. */
  now: Type.Integer(),
});
/** An app with due items. */
export type DueApp = Static<typeof DueApp>;

// Served by subscription_due_of_app, in its order.
const selectDueOfApp = statement({
  name: 'select_due_renewals_of_app',
  text: `select s.first_purchase_id as "firstPurchaseId", s.due_time as "dueTime", s.expiry_time as "expiryTime",
      s.period
    from subscription s where s.package_name = $1 and s.due_time <= $2
    order by s.due_time, s.first_purchase_id limit $3`,
  row: DueRenewal,
});

// Served by the primary keys of app_counter, app_clock, renewal_pause and app, and by subscription_due_of_app, once for each
// app that is neither paused nor being advanced. An app without a clock, and each in production, is in real time. Citus
// cannot store a result without columns.
const selectDueApps = statement({
  name: 'select_due_apps',
  text: `select c.package_name as "packageName", due.due_time as "dueTime", c.now
    from (select a.package_name, ${appTimeSql('k', '$1::bigint')} as now
      from app_counter a left join app_clock k on k.package_name = a.package_name
      left join renewal_pause p on p.package_name = a.package_name
      left join app d on d.package_name = a.package_name and d.disabled_at is not null
      where a.package_name <> all($2::text[]) and p.package_name is null and d.package_name is null
        and not ${isLeasedSql('k.lease_until', '$1::bigint', clockLeaseMs)}) as c
    cross join lateral (select s.due_time as due_time from subscription s
      where s.package_name = c.package_name and s.due_time <= c.now
      order by s.due_time limit 1) as due
    where not exists (select 1 from renewal_pause w where w.package_name = '${wholeStore}')
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
  /** Time of the app in ms, inclusive. */
  readonly until: number;
  readonly limit: number;
}

/** What is due in one app, leased or not, in order of due time and then of id. */
export function listDueRenewalsOfApp(queryable: Queryable, due: DueOfApp): Promise<DueRenewal[]> {
  return queryable.rows(selectDueOfApp, [due.packageName, due.until, due.limit]);
}

/** Apps that are not paused with items that are due by their clocks at the real instant `now`, the most overdue first. */
export function listDueApps(
  queryable: Queryable,
  {
    now,
    except = [],
    limit,
  }: { readonly now: number; readonly except?: readonly string[]; readonly limit: number },
): Promise<DueApp[]> {
  return queryable.rows(selectDueApps, [now, except, limit]);
}

/** When the oldest attempt that is still sent to the gateway fell due; undefined if there is none. */
export async function findOldestOpenAttempt(queryable: Queryable): Promise<number | undefined> {
  const [oldest] = await queryable.rows(selectOldestOpenAttempt, []);
  return oldest?.dueTime ?? undefined;
}
