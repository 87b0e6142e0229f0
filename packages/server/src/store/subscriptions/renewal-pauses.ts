// Pauses of renewals: of an app, or of the whole store under the package name ''. A disabled app is paused, too.

import Type, { type Static } from 'typebox';
import type { Database, Queryable } from '../connection/database.ts';
import { NoRow, nullable, statement } from '../connection/statement.ts';
import { renewalPause } from '../tables/ledger.ts';
import { rowShape, selectList } from '../tables/table.ts';

/** The package name of the row that pauses the whole store. */
export const wholeStore = '';

const RenewalPause = rowShape(renewalPause);
/** The pause of an app or of the store; one that has ended has no `pausedAt`. */
export type RenewalPause = Static<typeof RenewalPause>;

const RenewalState = Type.Object({
  /** By the pause of the app or the store, or because the app is disabled. */
  isPaused: Type.Boolean(),
  /** When renewals of the app or the store were last resumed, or the app was last enabled, in real time. */
  resumedAt: nullable(Type.Integer()),
});

// Served by the primary keys.
const selectRenewalState = statement({
  name: 'select_renewal_state',
  text: `select a.disabled_at is not null or p.paused_at is not null as "isPaused",
      greatest(a.enabled_at, p.resumed_at) as "resumedAt"
    from app a left join renewal_pause p on p.package_name = $1 where a.package_name = $1`,
  row: RenewalState,
});

// Scans renewal_pause, which has a row for each app that was ever paused, and app.
const selectPausedPackageNames = statement({
  name: 'select_paused_package_names',
  text: `select package_name as "packageName" from renewal_pause
    where paused_at is not null
    union all select package_name from app where disabled_at is not null`,
  row: Type.Object({ packageName: Type.String() }),
});

// Served by the primary key.
const selectPause = statement({
  name: 'select_renewal_pause',
  text: `select ${selectList(renewalPause, 'p')} from renewal_pause p where p.package_name = $1`,
  row: RenewalPause,
});

const ChangedPause = Type.Object({ packageName: Type.String() });

// Served by the primary key.
const startPause = statement({
  name: 'start_renewal_pause',
  text: `insert into renewal_pause as p (package_name, paused_at, paused_by, reason) values ($1, $2, $3, $4)
    on conflict (package_name) do update set paused_at = $2, paused_by = $3, reason = $4 where p.paused_at is null
    returning package_name as "packageName"`,
  row: ChangedPause,
});
const endPause = statement({
  name: 'end_renewal_pause',
  text: `update renewal_pause set paused_at = null, paused_by = null, reason = null, resumed_at = $2
    where package_name = $1 and paused_at is not null returning package_name as "packageName"`,
  row: ChangedPause,
});

const resumeWholeStore = statement({
  name: 'resume_whole_store',
  text: `insert into renewal_pause as p (package_name, resumed_at) values ('${wholeStore}', $1)
    on conflict (package_name) do update set paused_at = null, paused_by = null, reason = null, resumed_at = $1`,
  row: NoRow,
});

// A pause waits for transactions that hold this lock; writers of events do not. Served by the primary key.
const shareRenewalState = statement({
  name: 'share_renewal_state',
  text: `select package_name as "packageName" from app_counter where package_name = $1 for key share`,
  row: ChangedPause,
});
const awaitRenewalState = statement({
  name: 'await_renewal_state',
  text: `select package_name as "packageName" from app_counter where package_name = $1 for update`,
  row: ChangedPause,
});

/** The renewal state, for a transaction that begins renewals: `awaitBegun` waits until it ends. */
export async function shareRenewals(
  transaction: Queryable,
  packageName: string,
): Promise<Static<typeof RenewalState>> {
  await transaction.rows(shareRenewalState, [packageName]);
  await transaction.rows(shareRenewalState, [wholeStore]);
  return readRenewalState(transaction, packageName);
}

/**
 * Resolves when no transaction is open that may have read the renewal state of the app, or of any app for `wholeStore`,
 * before the call. It follows the commit of a pause, so that the wait for others is never the reason for no pause.
 */
export async function awaitBegun(database: Database, packageName: string): Promise<void> {
  await database.enqueue({ packageName }, () => database.rows(awaitRenewalState, [packageName]));
}

/** Whether renewals of an app may begin. A transaction that begins some calls `shareRenewals`. */
export async function readRenewalState(
  queryable: Queryable,
  packageName: string,
): Promise<Static<typeof RenewalState>> {
  const [ofApp] = await queryable.rows(selectRenewalState, [packageName]);
  if (ofApp === undefined) throw new Error(`The app ${packageName} does not exist.`);
  const ofStore = await findPause(queryable, wholeStore);
  const resumed = [ofApp.resumedAt, ofStore?.resumedAt ?? null].filter((time) => time !== null);
  return {
    isPaused: ofApp.isPaused || (ofStore?.pausedAt ?? null) !== null,
    resumedAt: resumed.length === 0 ? null : Math.max(...resumed),
  };
}

/** The apps whose renewals are paused; it includes `wholeStore` if those of all apps are. */
export async function listPausedPackageNames(queryable: Queryable): Promise<string[]> {
  return (await queryable.rows(selectPausedPackageNames, [])).map(({ packageName }) => packageName);
}

/** The pause of an app or of `wholeStore`, also one that has ended. */
export async function findPause(
  queryable: Queryable,
  packageName: string,
): Promise<RenewalPause | undefined> {
  return (await queryable.rows(selectPause, [packageName]))[0];
}

interface NewPause {
  readonly pausedAt: number;
  readonly pausedBy: string;
  readonly reason: string | null;
}

/** Pauses an app or `wholeStore`; false if it is paused already. */
export async function pauseRenewals(
  queryable: Queryable,
  packageName: string,
  { pausedAt, pausedBy, reason }: NewPause,
): Promise<boolean> {
  return (await queryable.rows(startPause, [packageName, pausedAt, pausedBy, reason])).length > 0;
}

/** Ends the pause of an app or `wholeStore`; false if it is not paused. */
export async function resumeRenewals(
  queryable: Queryable,
  packageName: string,
  resumedAt: number,
): Promise<boolean> {
  return (await queryable.rows(endPause, [packageName, resumedAt])).length > 0;
}

/** Resumes the whole store, paused or not: the lateness of charges that a clock held counts from then. */
export async function endHold(queryable: Queryable, resumedAt: number): Promise<void> {
  await queryable.rows(resumeWholeStore, [resumedAt]);
}
