// Voids a purchase, once.

import { voidPurchase as operation } from '@opentill/contract/operator-api/voidPurchase.ts';
import type { Database } from '../../store/connection/database.ts';
import { noSuchPurchase } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { reasonOf, shownPurchase } from './purchase-view.ts';
import { voidPurchase as voidOnce } from './void-purchase.ts';

export function voidPurchase(database: Database): OperatorHandler {
  return operatorHandler(operation, async ({ path, body, now, author }) => {
    const reason = reasonOf(body.reason ?? 'system');
    const purchase = await voidOnce(database, { ...path, reason, now, author });
    if (purchase === undefined) return noSuchPurchase(path);
    return answered(200, shownPurchase(purchase));
  });
}
