// Reads the whole record of a purchase with its history.

import { getPurchase as operation } from '@opentill/contract/operator-api/getPurchase.ts';
import { HistoryEntry, historyEntriesMax } from '@opentill/contract/operator-resources.ts';
import { listHistory } from '../../store/events/events.ts';
import { findPurchase } from '../../store/purchases/purchases.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchPurchase } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';
import { purchaseResponse } from './purchase-response.ts';

export function getPurchase({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path }) => {
    const purchase = await findPurchase(database, path);
    if (purchase === undefined) return noSuchPurchase(path);
    const entries = await listHistory(database, path, historyEntriesMax);
    const history = entries.map((entry) =>
      shown(HistoryEntry, { ...entry, time: entry.eventTime, isImported: entry.isImported || null }),
    );
    return answered(200, { ...purchaseResponse(purchase), history });
  });
}
