// Pauses of renewals: of an app, or of the whole store under the package name ''. A disabled app is paused, too.

import Type, { type Static } from 'typebox';
import type { Queryable } from '../connection/database.ts';
import { nullable, statement } from '../connection/statement.ts';

/** The package name of the row that pauses the whole store. */
export const wholeStore = '';

const RenewalState = Type.Object({
  /** By the pause of the app or the store, or because the app is disabled. */
  isPaused: Type.Boolean(),
  /** When renewals of the app or the store were last resumed, or the app was last enabled, in real time. */
  resumedAt: nullable(Type.Integer()),
});
export type RenewalState = Static<typeof RenewalState>;

// Served by the primary keys.
const selectRenewalState = statement({
  name: 'select_renewal_state',
  text: `select a.disabled_at is not null or coalesce(bool_or(p.paused_at is not null), false) as "isPaused",
      greatest(a.enabled_at, max(p.resumed_at)) as "resumedAt"
    from app a left join renewal_pause p on p.package_name in ('${wholeStore}', a.package_name)
    where a.package_name = $1 group by a.package_name`,
  row: RenewalState,
});

// Scans renewal_pause, which has a row for each app that was ever paused, and app.
const selectPausedPackageNames = statement({
  name: 'select_paused_package_names',
  text: `select package_name as "packageName" from renewal_pause where paused_at is not null
    union all select package_name from app where disabled_at is not null`,
  row: Type.Object({ packageName: Type.String() }),
});

/** Whether renewals of an app may begin. A transaction that begins some reads it after it has locked them. */
export async function readRenewalState(queryable: Queryable, packageName: string): Promise<RenewalState> {
  const [state] = await queryable.rows(selectRenewalState, [packageName]);
  if (state === undefined) throw new Error(`The app ${packageName} does not exist.`);
  return state;
}

/** The apps whose renewals are paused; it includes `wholeStore` if those of all apps are. */
export async function listPausedPackageNames(queryable: Queryable): Promise<string[]> {
  return (await queryable.rows(selectPausedPackageNames, [])).map(({ packageName }) => packageName);
}
