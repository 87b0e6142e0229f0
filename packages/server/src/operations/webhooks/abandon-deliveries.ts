// Abandons the open deliveries of a deleted webhook.

import { lockApp } from '../../store/apps/apps.ts';
import type { Database } from '../../store/connection/database.ts';
import { abandonDeliveries } from '../../store/webhooks/deliveries.ts';
import { webhookRecord } from '../../store/webhooks/webhooks.ts';

/** Deliveries that one statement abandons, well within its timeout. */
const batchMax = 5_000;

/**
 * Abandons the open deliveries of events up to the order `until`, at which the app had no webhook; those of a later webhook
 * stay. If it fails midway, putWebhook abandons the rest.
 */
export async function abandonAllDeliveries(
  database: Database,
  { packageName, until }: { readonly packageName: string; readonly until: number },
): Promise<void> {
  for (let count = batchMax; count === batchMax; ) {
    count = await database.transaction({ packageName, record: webhookRecord }, async (transaction) => {
      // There is no webhook to lock.
      await lockApp(transaction, packageName);
      return await abandonDeliveries(transaction, { packageName, until, limit: batchMax });
    });
  }
}
