// Gives up the open deliveries of a deleted webhook.

import { lockApp } from '../../store/apps/apps.ts';
import type { Database } from '../../store/connection/database.ts';
import { giveUp } from '../../store/webhooks/deliveries.ts';
import { webhookRecord } from '../../store/webhooks/webhooks.ts';

/** Deliveries that one statement gives up, well within its timeout. */
const batchMax = 5_000;

/**
 * Gives up the open deliveries of events up to the order `until`, at which the app had no webhook, so those of a later
 * webhook stay. If it fails midway, putWebhook gives up the rest.
 */
export async function giveUpAll(
  database: Database,
  { packageName, until }: { readonly packageName: string; readonly until: number },
): Promise<void> {
  for (let count = batchMax; count === batchMax; ) {
    count = await database.transaction({ packageName, record: webhookRecord }, async (transaction) => {
      // There is no webhook to lock.
      await lockApp(transaction, packageName);
      return await giveUp(transaction, { packageName, until, limit: batchMax });
    });
  }
}
