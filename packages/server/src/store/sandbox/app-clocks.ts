// The clocks of sandbox apps, and the leases of running advances (docs/decisions/sandbox.md).

import Type from 'typebox';
import type { Environment } from '../../domain/identifiers.ts';
import { isAdvancing } from '../../domain/sandbox/app-clock.ts';
import { appTimeSql } from '../clocks/app-time.ts';
import type { StoreClock } from '../clocks/store-clock.ts';
import type { Queryable } from '../connection/database.ts';
import { lockVoids } from '../purchases/voided-purchases.ts';
import { NoRow, statement, unchecked } from '../statements/statement.ts';
import { type ValuesOf, valueList } from '../statements/table.ts';
import { appClock } from '../tables/sandbox.ts';

/** The clock of an app; `advanceTo` is the target of an advance that is running or ended early. */
export interface AppClockRow extends ValuesOf<typeof appClock> {
  /** Identifies the running advance. */
  readonly leaseHolder: string | null;
  /** Real time; until then, no other advance may start and jobs skip the app. */
  readonly leaseUntil: number | null;
}

export const appClockColumns = `${valueList(appClock, 'c')}, c.lease_holder as "leaseHolder",
  c.lease_until as "leaseUntil"`;

/**
 * SQL for the real instant at which the clock of an app showed an instant of the app, at the earliest when the clock was
 * last set, since what it showed before is not stored. The parameters are those of appTimeSql.
 */
export function realInstantSql(clock: string, appTime: string): string {
  const passed = `greatest(0, ceil((${appTime} - ${clock}.app_time) / ${clock}.rate))::bigint`;
  return `(case when ${clock}.mode = 'frozen' then ${clock}.real_time
    when ${clock}.mode = 'running' then ${clock}.real_time + ${passed} else ${appTime} end)`;
}

// Served by the primary key.
const selectAppClock = statement({
  name: 'select_app_clock',
  text: `select ${appClockColumns} from app_clock c where c.package_name = $1`,
  row: unchecked<AppClockRow>(),
});

// Served by the primary key, once for each app.
const selectAppClocks = statement({
  name: 'select_app_clocks',
  text: `select c.package_name as "packageName", ${appClockColumns} from app_clock c
    where c.package_name = any($1::text[])`,
  row: unchecked<AppClockRow & { readonly packageName: string }>(),
});

// A new clock runs in real time, like an app without a clock. An existing one is locked by an update without changes, since a
// separate read could find it deleted. Served by the primary key.
const lockAppClockRow = statement({
  name: 'lock_app_clock',
  text: `insert into app_clock as c (package_name, mode, real_time, app_time) values ($1, 'running', $2, $2)
    on conflict (package_name) do update set mode = c.mode returning ${appClockColumns}`,
  row: unchecked<AppClockRow>(),
});

// Served by the primary key.
const lockAppClockSharedRow = statement({
  name: 'lock_app_clock_shared',
  text: `select ${appClockColumns} from app_clock c where c.package_name = $1 for share`,
  row: unchecked<AppClockRow>(),
});

// Served by the primary key.
const updateAppClockRow = statement({
  name: 'update_app_clock',
  text: `update app_clock c set mode = $2, rate = $3, real_time = $4, app_time = $5, advance_to = $6,
      lease_holder = $7, lease_until = $8
    where c.package_name = $1 returning ${appClockColumns}`,
  row: unchecked<AppClockRow>(),
});

// A clock that has run since its lease ended does not go back. Served by the primary key.
const moveAppClockRow = statement({
  name: 'move_app_clock',
  text: `update app_clock c set app_time = greatest(${appTimeSql('c', '$4::bigint')}, $3), real_time = $5, lease_until = $5
    where c.package_name = $1 and c.lease_holder = $2 returning c.app_time as "appTime"`,
  row: Type.Object({ appTime: Type.Integer() }),
});

/** Returns undefined for an app that uses real time. */
export async function findAppClock(
  queryable: Queryable,
  packageName: string,
): Promise<AppClockRow | undefined> {
  return (await queryable.rows(selectAppClock, [packageName]))[0];
}

/** The clocks of these apps by package name; an app that uses real time has none. */
export async function listAppClocks(
  queryable: Queryable,
  packageNames: readonly string[],
): Promise<ReadonlyMap<string, AppClockRow>> {
  const rows = await queryable.rows(selectAppClocks, [packageNames]);
  return new Map(rows.map((row) => [row.packageName, row]));
}

/**
 * Whether an advance of the app renews everything in its order. In the sandbox it also locks the app's clock against being
 * set, advanced or reset until the transaction ends: its first lock.
 */
export async function isBeingAdvanced(
  transaction: Queryable,
  { clock, environment }: { readonly clock: StoreClock; readonly environment: Environment },
  packageName: string,
): Promise<boolean> {
  if (environment === 'production') return false;
  const [appClock] = await transaction.rows(lockAppClockSharedRow, [packageName]);
  if (appClock === undefined || appClock.leaseUntil === null) return false;
  return isAdvancing(appClock, (await clock.read(transaction, packageName)).realNow);
}

/** The clock of an app, and the real instant after the wait for its lock. */
export interface LockedAppClock {
  readonly locked: AppClockRow;
  readonly realNow: number;
}

interface ClockOf {
  readonly packageName: string;
  readonly clock: StoreClock;
}

/** Locks the clock of an app until the transaction ends; an app without a clock gets one in real time. */
export async function lockAppClock(transaction: Queryable, of: ClockOf): Promise<LockedAppClock> {
  const locked = await lockRow(transaction, of);
  const { realNow } = await of.clock.read(transaction, of.packageName);
  return { locked, realNow };
}

/**
 * The same for a transaction that sets the clock: until it ends, no first page of the voided list is read, which could end
 * at a time that the old clock shows and the new one has not reached.
 */
export async function lockAppClockToSet(transaction: Queryable, of: ClockOf): Promise<LockedAppClock> {
  const locked = await lockRow(transaction, of);
  await lockVoids(transaction, of.packageName);
  const { realNow } = await of.clock.read(transaction, of.packageName);
  return { locked, realNow };
}

async function lockRow(transaction: Queryable, { packageName, clock }: ClockOf): Promise<AppClockRow> {
  const { realNow } = await clock.read(transaction, packageName);
  const [locked] = await transaction.rows(lockAppClockRow, [packageName, realNow]);
  if (locked === undefined) throw new Error('The clock of an app could not be locked.');
  return locked;
}

/** Updates a clock that the transaction has locked. */
export async function updateAppClock(
  transaction: Queryable,
  packageName: string,
  clock: AppClockRow,
): Promise<void> {
  const rows = await transaction.rows(updateAppClockRow, [
    packageName,
    clock.mode,
    clock.rate,
    clock.realTime,
    clock.appTime,
    clock.advanceTo,
    clock.leaseHolder,
    clock.leaseUntil,
  ]);
  if (rows.length !== 1) throw new Error('A locked clock could not be updated.');
}

// Served by the primary key.
const deleteAppClockRow = statement({
  name: 'delete_app_clock',
  text: 'delete from app_clock where package_name = $1',
  row: NoRow,
});

/** Deletes a clock that the transaction has locked: the app uses real time again. */
export async function deleteAppClock(transaction: Queryable, packageName: string): Promise<void> {
  await transaction.rows(deleteAppClockRow, [packageName]);
}

interface ClockMove {
  readonly packageName: string;
  /** The holder of the lease. */
  readonly holder: string;
  /** The app's instant after the move, unless it is already later. */
  readonly appTime: number;
  readonly realNow: number;
  /** Real time; the lease lasts and the clock stops until then. */
  readonly leaseUntil: number;
}

/**
 * Moves a clock forward under the lease of an advance, extends the lease and returns the app's instant. Returns undefined,
 * with nothing written, if the lease is lost or the clock was deleted; the transaction must then not be committed.
 */
export async function moveAppClock(queryable: Queryable, move: ClockMove): Promise<number | undefined> {
  const { packageName, holder, appTime, realNow, leaseUntil } = move;
  const values = [packageName, holder, appTime, realNow, leaseUntil];
  return (await queryable.rows(moveAppClockRow, values))[0]?.appTime;
}
