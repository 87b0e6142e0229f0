// Reads the webhook of an app.

import { getWebhook as operation } from '@opentill/contract/operator-api/getWebhook.ts';
import { findWebhook } from '../../store/webhooks/webhooks.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchWebhook } from '../missing.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { shownWebhook } from './shown-webhook.ts';

export function getWebhook({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ path: { packageName }, realNow }) => {
    const webhook = await findWebhook(database, packageName);
    return webhook === undefined ? noSuchWebhook(packageName) : answered(200, shownWebhook(webhook, realNow));
  });
}
