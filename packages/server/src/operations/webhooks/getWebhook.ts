// Reads the webhook of an app.

import { getWebhook as operation } from '@opentill/contract/operator-api/getWebhook.ts';
import type { Store } from '../../store/store.ts';
import { findWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchWebhook } from '../refusal.ts';
import { originOf, webhookResponse } from './webhook-response.ts';

export function getWebhook({ database }: Store): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, realNow, role }) => {
    const webhook = await findWebhook(database, packageName);
    if (webhook === undefined) return noSuchWebhook(packageName);
    const shown = webhookResponse(webhook, realNow);
    return responded(
      200,
      role === 'admin' || role === undefined ? shown : { ...shown, url: originOf(shown.url) },
    );
  });
}
