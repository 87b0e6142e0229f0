// Reads whether renewals of the store or of one app are paused, and what is due, in the form of the operator API.

import type { Renewals } from '@opentill/contract/renewals.ts';
import { type ChargeWindow, chargeableUntil } from '../../domain/subscriptions/renewal.ts';
import { type App, findApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import {
  countWaitingAttempts,
  type DueSubscription,
  listDueSubscriptions,
  listUnresolvedAttempts,
} from '../../store/subscriptions/attempt-lists.ts';
import {
  findPause,
  listPausedPackageNames,
  type RenewalPause,
  wholeStore,
} from '../../store/subscriptions/renewal-pauses.ts';
import { renewableFromRow } from '../../store/subscriptions/subscriptions.ts';
import { readAppTimes } from '../sandbox/app-times.ts';
import { attemptResponse } from './attempt-response.ts';

interface Scope {
  /** undefined for all apps. */
  readonly packageName: string | undefined;
  readonly realNow: number;
  readonly graceMs: number;
}

/** Returns undefined for an app that does not exist. */
export async function readRenewals(store: Store, scope: Scope): Promise<Renewals | undefined> {
  const { database } = store;
  const { packageName, realNow } = scope;
  const app = packageName === undefined ? undefined : await findApp(database, packageName);
  if (packageName !== undefined && app === undefined) return undefined;
  const now =
    packageName === undefined ? realNow : (await readAppTimes(store, [packageName], realNow))(packageName);
  const names = packageName === undefined ? [wholeStore] : [wholeStore, packageName];
  const found = await Promise.all(names.map((name) => findPause(database, name)));
  const rows = found.filter((pause) => pause !== undefined);
  const pauses = pausesOf(rows, app);
  const resumed = [app?.enabledAt, ...rows.map((row) => row.resumedAt)].filter((time) => time != null);
  const resumedAt = resumed.length === 0 ? undefined : Math.max(...resumed);
  const queryable = database.scopedTo(packageName);
  const due = await listDueSubscriptions(queryable, packageName, now);
  const { open, unresolved } = await countWaitingAttempts(queryable, packageName);
  const hold = await store.clocks.renewalHold(realNow);
  const paused = new Set(packageName === undefined ? await listPausedPackageNames(queryable) : []);
  const isStopped = hold !== undefined || pauses.length > 0;
  const windowOf = (row: DueSubscription): ChargeWindow => {
    const resumedTime = isStopped || paused.has(row.packageName) ? realNow : resumedAt;
    return { graceMs: scope.graceMs, resumedTime };
  };
  return {
    ...(packageName !== undefined && { packageName }),
    paused: pauses.length > 0,
    pauses,
    ...(hold !== undefined && { hold }),
    ...(resumedAt !== undefined && { resumedAt }),
    due: due.length,
    openAttempts: open,
    unresolvedAttempts: unresolved,
    unresolved: (await listUnresolvedAttempts(queryable, packageName)).map(attemptResponse),
    wouldExpire:
      store.environment === 'sandbox'
        ? 0
        : due.filter((row) => isTooLate(row, { now, window: windowOf(row) })).length,
  };
}

function pausesOf(rows: readonly RenewalPause[], app: App | undefined): Renewals['pauses'] {
  const pauses = rows.flatMap(({ packageName, pausedAt, pausedBy, reason }) => {
    if (pausedAt === null || pausedBy === null) return [];
    const scope = packageName === wholeStore ? ('store' as const) : ('app' as const);
    return { scope, since: pausedAt, madeBy: pausedBy, ...(reason !== null && { reason }) };
  });
  const disabledAt = app?.disabledAt ?? null;
  return disabledAt === null ? pauses : [...pauses, { scope: 'disabled' as const, since: disabledAt }];
}

/** Whether the unpaid month of a due subscription would not be charged any more. */
function isTooLate(
  row: DueSubscription,
  { now, window }: { readonly now: number; readonly window: ChargeWindow },
): boolean {
  return row.autoRenewing && now > chargeableUntil(renewableFromRow(row), window);
}
