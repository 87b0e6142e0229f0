// Erases the personal data of a buyer in batches, each in a transaction of its own (docs/decisions/purchases.md).

import { eraseBuyer as operation } from '@opentill/contract/operator-api/eraseBuyer.ts';
import { wholeStore } from '../../domain/identifiers.ts';
import { findApp } from '../../store/apps/apps.ts';
import { eraseBatch, findChargedSubscription, listAppsOfBuyer } from '../../store/purchases/buyer-erasure.ts';
import type { Store } from '../../store/store.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { Refusal, refuseValue } from '../refusal.ts';

/** After this time, a call begins no further batch, in ms: it responds within the limit of every call. */
const eraseWithinMs = 2_000;

/** Purchases of one transaction: some tens of ms, for which it locks the rows. */
const batchMax = 250;

/** Apps of a buyer that one call erases. */
const appsMax = 100;

export function eraseBuyer({ database, clock }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ body, recordAction }) => {
    const { buyerId, packageName: only, checkOnly = false } = body;
    const deadline = performance.now() + eraseWithinMs;
    if (only !== undefined && (await findApp(database, only)) === undefined) {
      return refuseValue('invalidRequest', '/packageName', `expected an app of this store, got ${only}`);
    }
    const apps = only === undefined ? await listAppsOfBuyer(database.storeWide, buyerId, appsMax) : [only];
    for (const packageName of apps) {
      const charged = await findChargedSubscription(database.scopedTo(packageName), { packageName, buyerId });
      if (charged !== undefined) return stillCharged(packageName, charged);
    }
    if (checkOnly) return responded(200, { rows: 0, done: false });
    let rows = 0;
    for (const packageName of apps) {
      for (let isErased = false; !isErased; ) {
        if (performance.now() > deadline) return responded(200, { rows, done: false });
        const erased = await database.transaction({ packageName }, async (transaction) => {
          const { realNow: now } = await clock.read(transaction, packageName);
          const batch = await eraseBatch(transaction, { packageName, buyerId, limit: batchMax, now });
          if (rows === 0 && typeof batch === 'number' && batch > 0) {
            await recordAction(
              transaction,
              only ?? wholeStore,
              only === undefined ? { allApps: true } : undefined,
            );
          }
          return batch;
        });
        if (typeof erased !== 'number') return stillCharged(packageName, erased.charged);
        rows += erased;
        isErased = erased === 0;
      }
    }
    return responded(200, { rows, done: apps.length < appsMax });
  });
}

function stillCharged(packageName: string, firstPurchaseId: string): Refusal<'conflict'> {
  const detail = `Subscription ${firstPurchaseId} of app ${packageName} has auto-payment on or an open charge: cancel it, and retry when the charge is settled.`;
  return new Refusal('conflict', detail);
}
