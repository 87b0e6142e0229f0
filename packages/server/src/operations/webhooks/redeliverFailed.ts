// Reschedules all deliveries of an app that have failed since a given time.

import { redeliverFailed as operation } from '@opentill/contract/operator-api/redeliverFailed.ts';
import type { Store } from '../../store/store.ts';
import { listFailedOrders, reopen } from '../../store/webhooks/deliveries.ts';
import { lockWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchWebhook } from '../refusal.ts';

/** Deliveries that one transaction reschedules while it locks the webhook. */
const batchMax = 250;

export function redeliverFailed({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const { now } = call;
    const { since } = call.body;
    let count = 0;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const part = await database.transaction({ packageName }, async (transaction) => {
        if ((await lockWebhook(transaction, packageName)) === undefined) return undefined;
        const limit = batchMax;
        const orders = await listFailedOrders(transaction, { packageName, after: from, since, limit });
        const reopened = await reopen(transaction, { packageName, orders, now });
        if (count === 0 && reopened > 0)
          await call.recordAction(transaction, packageName, { sinceTime: since });
        return { orders, reopened };
      });
      if (part === undefined) return noSuchWebhook(packageName);
      count += part.reopened;
      after = part.orders.length < batchMax ? undefined : part.orders.at(-1);
    }
    return responded(200, { count });
  });
}
