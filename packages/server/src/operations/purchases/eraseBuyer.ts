// Erases the personal data of a buyer in batches, each in a transaction of its own (docs/decisions/purchases.md).

import { eraseBuyer as operation } from '@opentill/contract/operator-api/eraseBuyer.ts';
import { findApp } from '../../store/apps/apps.ts';
import { noApp } from '../../store/audit/actions.ts';
import { eraseBatch, findAppOfBuyer, findChargedSubscription } from '../../store/purchases/buyer-erasure.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { Refusal, refuseValue } from '../refusal.ts';

/** After this time, a call begins no further batch, in ms: it is answered within the limit of every call. */
const eraseWithinMs = 2_000;

/** Purchases of one transaction: some tens of ms, for which it locks the rows. */
const batchMax = 250;

export function eraseBuyer({ store }: Uses<'store'>): OperatorHandler {
  const { database, clock } = store;
  return operatorHandler(operation, async ({ body, recordAction }) => {
    const { buyerId, packageName: only } = body;
    const queryable = database.scopedTo(only);
    const deadline = performance.now() + eraseWithinMs;
    if (only !== undefined && (await findApp(database, only)) === undefined) {
      return refuseValue('invalidRequest', '/packageName', `expected an app of this store, got ${only}`);
    }
    const charged = await findChargedSubscription(queryable, { buyerId, packageName: only });
    if (charged !== undefined) return stillCharged(charged);
    const detail = only === undefined ? 'in all apps' : undefined;
    let rows = 0;
    for (;;) {
      const packageName = await findAppOfBuyer(queryable, { buyerId, packageName: only });
      if (packageName === undefined || performance.now() > deadline) {
        return answered(200, { rows, done: packageName === undefined });
      }
      const scope = { packageName, record: 'erasure' };
      const erased = await database.transaction(scope, async (transaction) => {
        const { realNow: now } = await clock.read(transaction, packageName);
        const batch = await eraseBatch(transaction, { packageName, buyerId, limit: batchMax, now });
        if (rows === 0 && typeof batch === 'number' && batch > 0) {
          await recordAction(transaction, only ?? noApp, detail);
        }
        return batch;
      });
      if (typeof erased !== 'number') return stillCharged(erased);
      rows += erased;
    }
  });
}

function stillCharged({
  packageName,
  firstPurchaseId,
}: {
  readonly packageName: string;
  readonly firstPurchaseId: string;
}): Refusal<'conflict'> {
  const detail = `Subscription ${firstPurchaseId} of app ${packageName} has auto-payment on or an open charge: cancel it, and retry when the charge is settled.`;
  return new Refusal('conflict', detail);
}
