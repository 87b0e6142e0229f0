// Deletes the webhook of an app; its open deliveries become dead.

import { deleteWebhook as operation } from '@opentill/contract/operator-api/deleteWebhook.ts';
import { lockApp } from '../../store/apps/apps.ts';
import type { Store } from '../../store/store.ts';
import { abandonDeliveries } from '../../store/webhooks/deliveries.ts';
import { deleteWebhook as deleteRow, lockWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { noSuchWebhook, Refusal } from '../refusal.ts';
import { refuseOldSecret } from '../secret-rotation.ts';

/** Deliveries that one transaction abandons, well within its timeout. */
const batchMax = 5_000;

export function deleteWebhook({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, clientSecret, recordAction }) => {
    for (;;) {
      const outcome = await database.transaction({ packageName }, async (transaction) => {
        const forbidden = await refuseOldSecret(transaction, packageName, clientSecret);
        if (forbidden !== undefined) return forbidden;
        // A reset, which deletes the same rows, waits for it.
        await lockApp(transaction, packageName);
        if ((await lockWebhook(transaction, packageName)) === undefined) return 'missing';
        if ((await abandonDeliveries(transaction, packageName, batchMax)) === batchMax) return 'continued';
        await deleteRow(transaction, packageName);
        await recordAction(transaction, packageName);
        return 'deleted';
      });
      if (outcome instanceof Refusal) return outcome;
      if (outcome === 'missing') return noSuchWebhook(packageName);
      if (outcome === 'deleted') return { status: 204 };
    }
  });
}
