// Deletes the webhook of an app and abandons its open deliveries.

import { deleteWebhook as operation } from '@opentill/contract/operator-api/deleteWebhook.ts';
import { findEventOrder } from '../../store/events/happened-events.ts';
import { deleteWebhook as deleteRow, webhookRecord } from '../../store/webhooks/webhooks.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchWebhook } from '../missing.ts';
import { type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { abandonAllDeliveries } from './abandon-deliveries.ts';

export function deleteWebhook({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, recordAction }) => {
    const scope = { packageName, record: webhookRecord };
    const until = await database.transaction(scope, async (transaction) => {
      const row = await deleteRow(transaction, packageName);
      if (row === undefined) return undefined;
      await recordAction(transaction, packageName);
      return findEventOrder(transaction, packageName);
    });
    if (until === undefined) return noSuchWebhook(packageName);
    await abandonAllDeliveries(database, { packageName, until });
    return { status: 204 };
  });
}
