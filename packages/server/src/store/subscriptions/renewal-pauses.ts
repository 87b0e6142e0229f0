// Pauses of renewals: of an app, or of the whole store under the package name ''. A disabled app is paused, too.

import Type, { type Static } from 'typebox';
import { wholeStore } from '../../domain/identifiers.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { statement } from '../statements/statement.ts';
import { rowShape, selectList } from '../statements/table.ts';
import { renewalPause } from '../tables/ledger.ts';

const RenewalPause = rowShape(renewalPause);
/** The pause of an app or of the store. */
export type RenewalPause = Static<typeof RenewalPause>;

// Served by the primary keys.
const selectIsPaused = statement({
  name: 'select_is_paused',
  text: `select exists (select from renewal_pause p where p.package_name in ($1, $2))
      or exists (select from app a where a.package_name = $1 and a.disabled_at is not null) as "isPaused"`,
  row: Type.Object({ isPaused: Type.Boolean() }),
});

// Scans renewal_pause and app.
const selectPausedPackageNames = statement({
  name: 'select_paused_package_names',
  text: `select package_name as "packageName" from renewal_pause
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

const startPause = statement({
  name: 'start_renewal_pause',
  text: `insert into renewal_pause (package_name, paused_at, paused_by, reason) values ($1, $2, $3, $4)
    on conflict (package_name) do nothing returning package_name as "packageName"`,
  row: ChangedPause,
});
// Served by the primary key.
const endPause = statement({
  name: 'end_renewal_pause',
  text: `delete from renewal_pause where package_name = $1 returning package_name as "packageName"`,
  row: ChangedPause,
});

/** The class of the advisory locks of renewals; that of voids is 1. */
const renewalLocks = 2;

// An advisory lock rather than one of the counter row, on which writers of events would wait for each other. On a cluster it is
// acquired on the node of the row. Served by the primary key.
const renewalLock = (lock: string, condition: string) =>
  `select package_name as "packageName", ${lock}(${renewalLocks}, hashtext(package_name)) from app_counter
    where ${condition}`;
const shareRenewalState = statement({
  name: 'share_renewal_state',
  text: renewalLock('pg_advisory_xact_lock_shared', 'package_name in ($1, $2)'),
  row: ChangedPause,
});
const awaitRenewalState = statement({
  name: 'await_renewal_state',
  text: renewalLock('pg_advisory_xact_lock', 'package_name = $1'),
  row: ChangedPause,
});

interface Renewed {
  readonly packageName: string;
  readonly isDistributed: boolean;
}

/** An app and the whole store, which on a cluster may be on different nodes. */
const scopesOf = ({ packageName, isDistributed }: Renewed): readonly (readonly [string, string])[] =>
  isDistributed
    ? [
        [packageName, packageName],
        [wholeStore, wholeStore],
      ]
    : [[packageName, wholeStore]];

/** Whether renewals of an app are paused, for a transaction that begins some: `awaitBegun` waits until it ends. */
export async function shareRenewals(transaction: Queryable, of: Renewed): Promise<boolean> {
  for (const scope of scopesOf(of)) await transaction.rows(shareRenewalState, scope);
  return isPaused(transaction, of);
}

/**
 * Resolves when no transaction is open that may have read the renewal state of the app, or of any app for `wholeStore`,
 * before the call. It follows the commit of a pause, so that the wait for others is never the reason for no pause.
 */
export async function awaitBegun(database: Database, packageName: string): Promise<void> {
  await database.transaction({ packageName }, (transaction) =>
    transaction.rows(awaitRenewalState, [packageName]),
  );
}

/** Whether renewals of an app are paused, by a pause of the app or of the store, or because the app is disabled. */
export async function isPaused(queryable: Queryable, of: Renewed): Promise<boolean> {
  for (const scope of scopesOf(of)) {
    const [state] = await queryable.rows(selectIsPaused, scope);
    if (state?.isPaused === true) return true;
  }
  return false;
}

/** The apps whose renewals are paused; it includes `wholeStore` if those of all apps are. */
export async function listPausedPackageNames(queryable: Queryable): Promise<string[]> {
  return (await queryable.rows(selectPausedPackageNames, [])).map(({ packageName }) => packageName);
}

/** The pause of an app or of `wholeStore`. */
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
export async function resumeRenewals(queryable: Queryable, packageName: string): Promise<boolean> {
  return (await queryable.rows(endPause, [packageName])).length > 0;
}
