// Lists what voiding a purchase would change, by the rules of voidPurchase.

import { previewVoid as operation } from '@opentill/contract/operator-api/previewVoid.ts';
import { describeVoid, hashOfEffects } from '../../domain/purchases/voiding.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchPurchase } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { earliestVoidTime, voidableFromRows } from './voidable.ts';

export function previewVoid({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path, now }) => {
    const { packageName } = path;
    const purchase = await findPurchase(database, path);
    if (purchase === undefined) return noSuchPurchase(path);
    const { firstPurchaseId, voidedTime } = purchase;
    const subscription =
      firstPurchaseId === null
        ? undefined
        : await findSubscription(database, { packageName, firstPurchaseId });
    // A reset may have removed the app's rows between the two reads.
    if (subscription === undefined && firstPurchaseId !== null) return noSuchPurchase(path);
    const effects =
      voidedTime === null
        ? describeVoid(voidableFromRows(purchase, subscription), earliestVoidTime(purchase, now))
        : [];
    return answered(200, { effects, effectsHash: hashOfEffects(effects) });
  });
}
