// Reads the whole record of a purchase with its history, and what its void would change, by the rules of voidPurchase.

import { getPurchase as operation } from '@opentill/contract/operator-api/getPurchase.ts';
import { HistoryEntry, historyEntriesMax } from '@opentill/contract/purchase-with-history.ts';
import { describeVoid } from '../../domain/purchases/voiding.ts';
import { findProduct } from '../../store/apps/products.ts';
import { listHistory } from '../../store/events/event-histories.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import type { Store } from '../../store/store.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import { historyValues } from '../events/history-values.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchPurchase } from '../refusal.ts';
import { shown } from '../shown.ts';
import { purchaseResponse } from './purchase-response.ts';
import { voidableFromRows } from './voidable.ts';

export function getPurchase({ database, environment }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path, now, role }) => {
    const purchase = await findPurchase(database, path);
    if (purchase === undefined) return noSuchPurchase(path);
    const { packageName, productId, firstPurchaseId, voidedTime } = purchase;
    const subscription =
      firstPurchaseId === null
        ? undefined
        : await findSubscription(database, { packageName, firstPurchaseId });
    // A reset may have removed the app's rows between the two reads.
    if (subscription === undefined && firstPurchaseId !== null) return noSuchPurchase(path);
    const product = await findProduct(database, { packageName, productId });
    const rows = await listHistory(database, path, historyEntriesMax);
    const history = rows.map((row) =>
      shown(HistoryEntry, historyValues(row, { environment, packageName }, role)),
    );
    const voidEffects =
      voidedTime === null ? describeVoid(voidableFromRows(purchase, subscription), now) : [];
    const productTitle = product?.title ?? null;
    return responded(200, {
      ...purchaseResponse(purchase),
      ...(productTitle !== null && { productTitle }),
      history,
      voidEffects,
    });
  });
}
