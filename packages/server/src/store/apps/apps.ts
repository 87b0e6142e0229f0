// Apps, for which tokens are issued. The number, client id and package name of an app never change.

import { PackageName } from '@opentill/contract/fields.ts';
import Type, { type Static } from 'typebox';
import { ownName, sharedLookup } from '../connection/coalesced.ts';
import type { Database, Queryable } from '../connection/database.ts';
import { isUniqueViolation } from '../connection/database-failure.ts';
import { pagedList } from '../statements/paged-list.ts';
import { Bytes, NoRow, nullable, statement } from '../statements/statement.ts';
import {
  insertText,
  insertValues,
  pick,
  type RowOf,
  rowShape,
  selectList,
  withoutColumns,
} from '../statements/table.ts';
import { app } from '../tables/ledger.ts';

const visibleApp = withoutColumns(app, 'clientSecretHash', 'previousClientSecretHash');
const App = rowShape(visibleApp);
export type App = Static<typeof App>;

/** The state of an app that tokens are checked against. */
const AppState = Type.Object({
  packageName: Type.String(),
  appNumber: Type.Integer(),
  disabledAt: nullable(Type.Integer()),
  generation: Type.Integer(),
});
export type AppState = Static<typeof AppState>;

const appColumns = selectList(visibleApp, 'app');

// Served by the primary keys.
const selectAppStates = statement({
  name: 'select_app_states',
  text: `select package_name as "packageName", app_number as "appNumber", disabled_at as "disabledAt", generation
    from app join access_token using (package_name) where access_token.package_name = any($1::text[])`,
  row: AppState,
});

const PackageNameByNumber = Type.Object({ appNumber: Type.Integer(), packageName: Type.String() });

// Served by app_app_number_key, and cached because the package name of a number never changes.
const selectPackageNames = statement({
  name: 'select_package_names_by_number',
  text: `select app_number as "appNumber", package_name as "packageName" from app where app_number = any($1::bigint[])`,
  row: PackageNameByNumber,
});

// Served by the primary key.
const selectApp = statement({
  name: 'select_app',
  text: `select ${appColumns} from app where package_name = $1`,
  row: App,
});

const newApp = pick(app, 'clientId', 'appNumber', 'name', 'clientSecretHash', 'createdAt');

// Checked by the primary key and the unique indexes of client_id and app_number.
const insertAppRow = statement({
  name: 'insert_app',
  text: `${insertText(newApp)} returning ${appColumns}`,
  row: App,
});

// Checked by the primary key.
const insertAccessTokenRow = statement({
  name: 'insert_access_token',
  text: 'insert into access_token (package_name) values ($1)',
  row: NoRow,
});

// Checked by the primary key.
const insertAppCounterRow = statement({
  name: 'insert_app_counter',
  text: 'insert into app_counter (package_name) values ($1)',
  row: NoRow,
});

// Served by the primary key.
const updateAppRow = statement({
  name: 'update_app',
  text: `update app set name = $2, disabled_at = $3 where package_name = $1
    returning ${appColumns}`,
  row: App,
});

const insertLock = `insert into app_lock (package_name) select package_name from app_counter where package_name = $1
  on conflict (package_name)`;

// An existing row is locked by an update without changes. Served by the primary keys.
const lockAppRow = statement({
  name: 'lock_app',
  text: `${insertLock} do update set package_name = excluded.package_name`,
  row: NoRow,
});

// Served by the primary keys.
const insertLockRow = statement({ name: 'insert_app_lock', text: `${insertLock} do nothing`, row: NoRow });

// Served by the primary key.
const lockFreeAppRow = statement({
  name: 'lock_free_app',
  text: 'select package_name as "packageName" from app_lock where package_name = $1 for update skip locked',
  row: Type.Object({ packageName: Type.String() }),
});

// Served by the primary key.
const updateClientSecret = statement({
  name: 'update_client_secret',
  text: `update app set client_secret_hash = $2,
      previous_client_secret_hash = case when $3::bigint is null then null else client_secret_hash end,
      previous_client_secret_until = $3
    where package_name = $1`,
  row: NoRow,
});

// Served by the primary key.
const selectClientSecretHash = statement({
  name: 'select_client_secret_hash',
  text: 'select client_secret_hash as hash from app where package_name = $1',
  row: Type.Object({ hash: Bytes }),
});

/** Reads the state of one app, sharing a statement with concurrent reads. */
export function appStateReader(database: Database): (packageName: string) => Promise<AppState | undefined> {
  const keyOf = ({ packageName }: AppState) => packageName;
  return sharedLookup(database, { sql: selectAppStates, keyOf, packageNameOf: ownName });
}

/** Finds the package name of an app number, sharing a statement with concurrent calls. */
export function packageNameFinder(database: Database): (appNumber: number) => Promise<string | undefined> {
  const find = sharedLookup(database, { sql: selectPackageNames, keyOf: ({ appNumber }) => appNumber });
  return async (appNumber) => (await find(appNumber))?.packageName;
}

export async function findApp(queryable: Queryable, packageName: string): Promise<App | undefined> {
  return (await queryable.rows(selectApp, [packageName]))[0];
}

export const AppPosition = Type.Object({ packageName: PackageName });

/** Apps by package name. Served by the primary key, in its order; it reads all apps if few match the filters. */
export const listApps = pagedList({
  name: 'apps',
  row: App,
  position: AppPosition,
  order: { packageName: 'package_name' },
  direction: 'asc',
  filters: {
    containing:
      '(strpos(lower(package_name), lower($containing)) > 0 or strpos(lower(name), lower($containing)) > 0)',
    state: "case when disabled_at is null then 'active' else 'disabled' end = $state",
  },
  text: ({ where, page }) => `select ${appColumns} from app where ${where} ${page}`,
});

const packageNamesPerPage = 1_000;

/** The package names of all apps, in order. */
export async function* eachPackageName(queryable: Queryable): AsyncGenerator<string, void, undefined> {
  let after: Static<typeof AppPosition> | undefined;
  do {
    const { rows, next } = await listApps(queryable, {}, { after, limit: packageNamesPerPage });
    for (const { packageName } of rows) yield packageName;
    after = next;
  } while (after !== undefined);
}

/** Inserts an app with its rows in access_token and app_counter. */
export async function insertApp(transaction: Queryable, inserted: RowOf<typeof newApp>): Promise<App> {
  const [row] = await transaction.rows(insertAppRow, insertValues(newApp, inserted));
  await transaction.rows(insertAccessTokenRow, [inserted.packageName]);
  await transaction.rows(insertAppCounterRow, [inserted.packageName]);
  if (row === undefined) throw new Error('The insert of an app returned no row.');
  return row;
}

/** The unique value of an app that another app already has, from the error of `insertApp`. */
export function appClash(error: unknown): 'packageName' | 'clientId' | 'appNumber' | undefined {
  if (isUniqueViolation(error, 'app_pkey')) return 'packageName';
  if (isUniqueViolation(error, 'app_client_id_key')) return 'clientId';
  if (isUniqueViolation(error, 'app_app_number_key')) return 'appNumber';
  return undefined;
}

/**
 * Locks an app until the transaction ends, against other changes of its settings and against the removal of its events and
 * the abandoning of their deliveries. It is the first lock of a transaction.
 */
export async function lockApp(transaction: Queryable, packageName: string): Promise<App | undefined> {
  await transaction.rows(lockAppRow, [packageName]);
  return findApp(transaction, packageName);
}

/** Locks an app like `lockApp`, or returns false at once if another transaction has locked it. */
export async function lockAppIfFree(transaction: Queryable, packageName: string): Promise<boolean> {
  await transaction.rows(insertLockRow, [packageName]);
  return (await transaction.rows(lockFreeAppRow, [packageName])).length > 0;
}

export async function updateApp(
  transaction: Queryable,
  { packageName, name, disabledAt }: Pick<App, 'packageName' | 'name' | 'disabledAt'>,
): Promise<App | undefined> {
  return (await transaction.rows(updateAppRow, [packageName, name, disabledAt]))[0];
}

/** Locks an app like `lockApp`, and returns the hash of its newest secret. */
export async function lockClientSecret(
  transaction: Queryable,
  packageName: string,
): Promise<Buffer | undefined> {
  await transaction.rows(lockAppRow, [packageName]);
  return (await transaction.rows(selectClientSecretHash, [packageName]))[0]?.hash;
}

/**
 * Makes `hash` the app's secret. The previous secret stays valid until `previousUntil` (ms), or ends at once if that is
 * null; older secrets end in either case.
 */
export async function replaceClientSecret(
  transaction: Queryable,
  secret: { packageName: string; hash: Buffer; previousUntil: number | null },
): Promise<void> {
  await transaction.rows(updateClientSecret, [secret.packageName, secret.hash, secret.previousUntil]);
}
