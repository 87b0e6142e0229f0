// Cancels the auto-payment of all subscriptions of an app or of one product, a limited number with each call.

import { cancelledAtOnceMax, remainingMax } from '@opentill/contract/limits.ts';
import { cancelSubscriptions as operation } from '@opentill/contract/operator-api/cancelSubscriptions.ts';
import { findApp } from '../../store/apps/apps.ts';
import { findProduct } from '../../store/apps/products.ts';
import { lockDueSubscriptions } from '../../store/subscriptions/renewal-attempts.ts';
import { countRenewing, listRenewing } from '../../store/subscriptions/renewing-subscriptions.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { givenReason } from '../purchases/given-reason.ts';
import { Refusal, refuseValue } from '../refusal.ts';
import { decideChange, writeChanges } from './change-auto-payment.ts';

export function cancelSubscriptions({ store: { database, clock } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, body, author, recordAction }) => {
    const { productId } = body;
    const reason = givenReason(body, 'system');
    if (reason instanceof Refusal) return reason;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    if (productId !== undefined && (await findProduct(database, { packageName, productId })) === undefined) {
      return refuseValue('invalidRequest', '/productId', `expected a product of the app, got ${productId}`);
    }
    const scope = { packageName, productId };
    const queue = { packageName, record: 'cancel subscriptions' };
    const cancelled = await database.transaction(queue, async (transaction) => {
      const firstPurchaseIds = await listRenewing(transaction, scope, cancelledAtOnceMax);
      // Waits for renewals that are being written, and reads what they wrote.
      const keys = { packageName, firstPurchaseIds };
      const rows = await lockDueSubscriptions(transaction, keys, { skipLocked: false });
      const { now } = await clock.read(transaction, packageName);
      const changes = rows
        .map((row) => decideChange(row, { action: 'cancel', reason, now }))
        .filter((change) => change !== 'refused');
      if (changes.length === 0) return 0;
      await writeChanges(transaction, packageName, { changes, author });
      const detail = `${changes.length} of ${productId === undefined ? 'all products' : `product ${productId}`}`;
      await recordAction(transaction, packageName, detail, { subject: productId ?? null });
      return changes.length;
    });
    return answered(200, { cancelled, remaining: await countRenewing(database, scope, remainingMax) });
  });
}
