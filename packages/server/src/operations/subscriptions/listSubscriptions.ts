// Lists the subscriptions of one app or of all apps.

import { listSubscriptions as operation } from '@opentill/contract/operator-api/listSubscriptions.ts';
import { appNow } from '../../domain/sandbox/app-clock.ts';
import { listAppClocks } from '../../store/sandbox/app-clocks.ts';
import type { Store } from '../../store/store.ts';
import {
  listSubscriptions as readPage,
  SubscriptionPosition,
} from '../../store/subscriptions/subscription-lists.ts';
import { readPeriodFacts } from '../../store/subscriptions/subscription-periods.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { refuseValue } from '../refusal.ts';
import { listedSubscription } from './read-subscription.ts';

export function listSubscriptions(store: Store): OperatorHandler {
  return listHandler(operation, SubscriptionPosition, async ({ query, realNow }, page) => {
    const { packageName, state, awaitsConsent, nextPaymentFrom, nextPaymentBefore } = query;
    const needsClock = (state ?? awaitsConsent ?? nextPaymentFrom ?? nextPaymentBefore) !== undefined;
    if (store.environment === 'sandbox' && packageName === undefined && needsClock) {
      const message = 'expected an app, because each app of the sandbox has a clock of its own';
      return refuseValue('invalidRequest', 'packageName', message);
    }
    const now =
      packageName === undefined ? realNow : (await readAppTimes(store, [packageName], realNow))(packageName);
    const queryable = store.database.scopedTo(packageName);
    const { rows, next } = await readPage(queryable, query, { ...page, now });
    const packageNames = rows.map((row) => row.packageName);
    const nowOf = packageName === undefined ? await readAppTimes(store, packageNames, realNow) : () => now;
    const factsOf = await readPeriodFacts(queryable, rows);
    const subscriptions = rows.map((row) =>
      listedSubscription({ ...row, ...factsOf(row) }, nowOf(row.packageName)),
    );
    return { subscriptions, next };
  });
}

/** Returns a function with the instant of each of these apps: in production real time, in the sandbox that of its clock. */
async function readAppTimes(
  store: Store,
  packageNames: readonly string[],
  realNow: number,
): Promise<(packageName: string) => number> {
  if (store.environment === 'production' || packageNames.length === 0) return () => realNow;
  const names = [...new Set(packageNames)];
  const queryable = names.length === 1 ? store.database : store.database.storeWide;
  const clocks = await listAppClocks(queryable, names);
  return (packageName) => appNow(clocks.get(packageName), realNow);
}
