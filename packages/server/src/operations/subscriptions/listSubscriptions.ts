// Lists the subscriptions of one app or of all apps.

import { PackageName, PurchaseId, Timestamp } from '@opentill/contract/fields.ts';
import { listSubscriptions as operation } from '@opentill/contract/operator-api/listSubscriptions.ts';
import Type from 'typebox';
import { listSubscriptions as selectSubscriptions } from '../../store/subscriptions/subscription-lists.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal, refuseValue } from '../refusal.ts';
import { nextPage, requestedPage } from '../requested-page.ts';
import { readAppTimes } from '../sandbox/app-times.ts';
import { listedSubscription } from './read-subscription.ts';

const token = pageToken(
  Type.Object({ time: Timestamp, packageName: PackageName, firstPurchaseId: PurchaseId }),
);

export function listSubscriptions({ store }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query, realNow }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const { packageName, state, nextPaymentBefore } = query;
    const needsClock = state !== undefined || nextPaymentBefore !== undefined;
    if (store.environment === 'sandbox' && packageName === undefined && needsClock) {
      const message = 'expected an app, because each app of the sandbox has a clock of its own';
      return refuseValue('invalidRequest', 'packageName', message);
    }
    const now =
      packageName === undefined ? realNow : (await readAppTimes(store, [packageName], realNow))(packageName);
    const { rows, next } = await selectSubscriptions(store.database.scopedTo(packageName), query, {
      ...page,
      now,
    });
    const packageNames = rows.map((row) => row.packageName);
    const nowOf = packageName === undefined ? await readAppTimes(store, packageNames, realNow) : () => now;
    const subscriptions = rows.map((row) => listedSubscription(row, nowOf(row.packageName)));
    return answered(200, { subscriptions, ...nextPage(next, token) });
  });
}
