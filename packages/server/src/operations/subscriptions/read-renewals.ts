// Reads whether renewals of the store or of one app are paused, and what is due, in the form of the operator API.

import type { Renewals } from '@opentill/contract/renewals.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { decideDueWork, dueTimeOf } from '../../domain/subscriptions/renewal.ts';
import { type App, findApp } from '../../store/apps/apps.ts';
import type { DatedStore } from '../../store/clocks/store-clock.ts';
import type { Store } from '../../store/store.ts';
import {
  countWaitingAttempts,
  type DueSubscription,
  listDueSubscriptions,
  listUnresolvedAttempts,
} from '../../store/subscriptions/attempt-lists.ts';
import { findPause, type RenewalPause } from '../../store/subscriptions/renewal-pauses.ts';
import { renewableFromRow } from '../../store/subscriptions/subscriptions.ts';
import { attemptResponse } from './attempt-response.ts';

/** Without a package name, of all apps. Returns undefined for an app that does not exist. */
export async function readRenewals(
  store: Store,
  packageName: string | undefined,
): Promise<Renewals | undefined> {
  const { database } = store;
  const app = packageName === undefined ? undefined : await findApp(database, packageName);
  if (packageName !== undefined && app === undefined) return undefined;
  const { now } = await store.clock.read(database, packageName ?? wholeStore);
  const queryable = database.scopedTo(packageName);
  const due = await listDueSubscriptions(queryable, packageName, now);
  const { open, unresolved } = await countWaitingAttempts(queryable, packageName);
  return {
    ...(packageName !== undefined && { packageName }),
    ...(await readRenewalState(store, app)),
    due: due.length,
    openAttempts: open,
    unresolvedAttempts: unresolved,
    unresolved: (await listUnresolvedAttempts(queryable, packageName)).map(attemptResponse),
    // In the sandbox each happens at its due time.
    ...countEffects(due, store.environment === 'sandbox' ? undefined : now),
  };
}

type RenewalState = Pick<Renewals, 'paused' | 'pauses' | 'hold'>;

/** Whether the renewals of the store wait, and those of an app if one is given. */
async function readRenewalState(
  { database, clock }: DatedStore,
  app?: App | undefined,
): Promise<RenewalState> {
  const names = app === undefined ? [wholeStore] : [wholeStore, app.packageName];
  const found = await Promise.all(names.map((name) => findPause(database, name)));
  const rows = found.filter((pause) => pause !== undefined);
  const pauses = pausesOf(rows, app);
  const { hold } = await clock.read(database, wholeStore);
  return {
    paused: pauses.length > 0,
    pauses,
    ...(hold !== undefined && { hold }),
  };
}

function pausesOf(rows: readonly RenewalPause[], app: App | undefined): Renewals['pauses'] {
  const pauses = rows.map(({ packageName, pausedAt, pausedBy, reason }) => {
    const scope = packageName === wholeStore ? ('store' as const) : ('app' as const);
    return { scope, since: pausedAt, madeBy: pausedBy, ...(reason !== null && { reason }) };
  });
  const disabledAt = app?.disabledAt ?? null;
  return disabledAt === null ? pauses : [...pauses, { scope: 'disabled' as const, since: disabledAt }];
}

/** What a resume would do to due subscriptions, each at `now` or at its due time. */
function countEffects(
  due: readonly DueSubscription[],
  now: number | undefined,
): Pick<Renewals, 'wouldCharge' | 'wouldExpire'> {
  let [wouldCharge, wouldExpire] = [0, 0];
  for (const row of due) {
    const subscription = renewableFromRow(row);
    const { wasPending, begunTime, lastPeriodIndex } = row;
    const outcome = begunTime === null ? 'declined' : null;
    // Only the number of a next attempt would depend on that of the newest.
    const number = { periodIndex: lastPeriodIndex + 1, attempt: 1 };
    const times = { wasPending: wasPending === true, begunTime: begunTime ?? 0 };
    const newest = { ...number, ...times, outcome } as const;
    const instant = now ?? dueTimeOf(subscription) ?? 0;
    const kind = decideDueWork(subscription, { now: instant, newest })?.kind;
    if (kind === 'attempt' || kind === 'retry') wouldCharge += 1;
    const expires = kind === 'expiry' || kind === 'unresolved';
    if (expires && row.autoRenewing && now !== undefined) wouldExpire += 1;
  }
  return { wouldCharge, wouldExpire };
}
