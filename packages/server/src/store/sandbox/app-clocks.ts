// The clocks of apps, in the sandbox only, and the lease of an advance under way (docs/decisions/sandbox.md).

import Type from 'typebox';
import { appTimeMax } from '../../domain/sandbox/app-clock.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Queryable } from '../connection/database.ts';
import { statement, unchecked } from '../connection/statement.ts';
import { appClock } from '../tables/sandbox.ts';
import { type ValuesOf, valueList } from '../tables/table.ts';

/** The clock of an app; `advanceTo` is the target of an advance that runs, or that ended before it. */
export interface AppClockRow extends ValuesOf<typeof appClock> {
  /** The job that advances the clock. */
  readonly leaseHolder: string | null;
  /** Real time: until then, nothing else advances the clock and jobs skip the app. */
  readonly leaseUntil: number | null;
}

export const appClockColumns = `${valueList(appClock, 'c')}, c.lease_holder as "leaseHolder",
  c.lease_until as "leaseUntil"`;

/**
 * SQL for the instant of an app whose row of app_clock is named `clock` (of a left join: null is real time);
 * `realNow` is SQL for the real instant. The same as appNow of domain/app-clock.ts.
 */
export function appNowSql(clock: string, realNow: string): string {
  const passed = `greatest(0, ${realNow} - ${clock}.real_time) * ${clock}.rate`;
  return `(case ${clock}.mode when 'frozen' then ${clock}.app_time when 'running' then
    greatest(${clock}.app_time, least(${appTimeMax}, floor(${clock}.app_time + ${passed}))::bigint)
    else ${realNow} end)`;
}

// Served by the primary key.
const selectAppClock = statement({
  name: 'select_app_clock',
  text: `select ${appClockColumns} from app_clock c where c.package_name = $1`,
  row: unchecked<AppClockRow>(),
});

// A new one is real time at rate 1, which is what no row says. One that is there is held by writing what it has: read
// by another statement it might be gone by then. Served by the primary key.
const holdAppClockRow = statement({
  name: 'hold_app_clock',
  text: `insert into app_clock as c (package_name, mode, real_time, app_time) values ($1, 'running', $2, $2)
    on conflict (package_name) do update set mode = c.mode returning ${appClockColumns}`,
  row: unchecked<AppClockRow>(),
});

// Served by the primary key.
const shareAppClockRow = statement({
  name: 'share_app_clock',
  text: `select ${appClockColumns} from app_clock c where c.package_name = $1 for share`,
  row: unchecked<AppClockRow>(),
});

const updateAppClockRow = statement({
  name: 'update_app_clock',
  text: `update app_clock c set mode = $2, rate = $3, real_time = $4, app_time = $5, advance_to = $6,
      lease_holder = $7, lease_until = $8
    where c.package_name = $1 returning ${appClockColumns}`,
  row: unchecked<AppClockRow>(),
});

// A clock that has run on since its lease ended does not go back.
const moveAppClockRow = statement({
  name: 'move_app_clock',
  text: `update app_clock c set app_time = greatest(${appNowSql('c', '$4::bigint')}, $3), real_time = $5, lease_until = $5
    where c.package_name = $1 and c.lease_holder = $2 returning c.app_time as "appTime"`,
  row: Type.Object({ appTime: Type.Integer() }),
});

/** Undefined for an app that lives in real time. */
export async function findAppClock(
  queryable: Queryable,
  packageName: string,
): Promise<AppClockRow | undefined> {
  return (await queryable.rows(selectAppClock, [packageName]))[0];
}

/**
 * Keeps the clock of an app from being set, advanced or reset until the transaction ends: the first lock of it.
 * Undefined for an app that lives in real time.
 */
export async function shareAppClock(
  transaction: Queryable,
  packageName: string,
): Promise<AppClockRow | undefined> {
  return (await transaction.rows(shareAppClockRow, [packageName]))[0];
}

/** The clock of an app, and the real instant at which it was held: by then the wait for it is over. */
interface HeldAppClock {
  readonly held: AppClockRow;
  readonly realNow: number;
}

/** Holds the clock of an app until the transaction ends; an app that has none gets one at real time. */
export async function holdAppClock(
  transaction: Queryable,
  { packageName, clock }: { readonly packageName: string; readonly clock: Clock },
): Promise<HeldAppClock> {
  const [held] = await transaction.rows(holdAppClockRow, [packageName, clock.now()]);
  if (held === undefined) throw new Error('The clock of an app could not be held.');
  return { held, realNow: clock.now() };
}

/** Writes a clock that the transaction holds. */
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
  if (rows.length !== 1) throw new Error('A held clock could not be updated.');
}

interface ClockMove {
  readonly packageName: string;
  /** Who holds the lease. */
  readonly holder: string;
  /** The app's instant after the move, unless it is later already. */
  readonly appTime: number;
  readonly realNow: number;
  /** Real time: the clock stands until then, and the lease is kept until then. */
  readonly leaseUntil: number;
}

/**
 * Moves a clock forward under the lease of an advance, and prolongs that; gives the app's instant. Undefined,
 * with nothing written, when somebody else has taken the lease, or the clock is gone: then whatever else the
 * transaction wrote must not be committed.
 */
export async function moveAppClock(queryable: Queryable, move: ClockMove): Promise<number | undefined> {
  const { packageName, holder, appTime, realNow, leaseUntil } = move;
  const values = [packageName, holder, appTime, realNow, leaseUntil];
  return (await queryable.rows(moveAppClockRow, values))[0]?.appTime;
}
