// Ends what was on its way to a webhook that is there no more.

import { lockApp } from '../../store/apps/apps.ts';
import type { Database } from '../../store/connection/database.ts';
import { giveUp } from '../../store/webhooks/deliveries.ts';
import { webhookRecord } from '../../store/webhooks/webhooks.ts';

/** Deliveries that one statement gives up: well within its time. */
const givenUpTogether = 5_000;

/**
 * Gives up what is open of events up to an order, at which the app had no webhook: nothing of a later one is
 * touched. If it ends early, what is left is given up before the next webhook is put.
 */
export async function giveUpAll(
  database: Database,
  { packageName, until }: { readonly packageName: string; readonly until: number },
): Promise<void> {
  for (let count = givenUpTogether; count === givenUpTogether; ) {
    count = await database.transaction({ packageName, record: webhookRecord }, async (transaction) => {
      // There is no webhook to lock.
      await lockApp(transaction, packageName);
      return await giveUp(transaction, { packageName, until, limit: givenUpTogether });
    });
  }
}
