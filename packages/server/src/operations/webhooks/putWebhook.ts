// Creates the webhook of an app or replaces its URL.

import { putWebhook as operation } from '@opentill/contract/operator-api/putWebhook.ts';
import { webhookUrlMax } from '@opentill/contract/webhooks.ts';
import { parseWebhookUrl, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { formatWebhookSecret, generatedSecretBytes } from '../../domain/webhooks/webhook-signature.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { DatabaseUnavailable } from '../../store/connection/database-failure.ts';
import type { Store } from '../../store/store.ts';
import { insertWebhook, lockWebhook, updateWebhook, type WebhookRow } from '../../store/webhooks/webhooks.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchApp, Refusal, refuseValue } from '../refusal.ts';
import { refuseOldSecret } from '../secret-rotation.ts';
import { originOf, webhookResponse } from './webhook-response.ts';

type Call = CallOf<typeof operation>;

export function putWebhook(
  { database }: Store,
  randomness: Randomness,
  webhookRules: WebhookRules,
): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const url = readUrl(call, webhookRules);
    if (typeof url !== 'string') return url;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const secret = randomness.bytes(generatedSecretBytes);
    const written = await database.transaction({ packageName }, (transaction) =>
      write(transaction, call, { url, secret }),
    );
    if (written instanceof Refusal) return written;
    const { webhook, isNew } = written;
    const response = webhookResponse(webhook, call.realNow);
    if (!isNew) return responded(200, response);
    return responded(201, { ...response, secret: formatWebhookSecret(secret) });
  });
}

/** Returns the URL in normalized form. */
function readUrl({ body, role }: Call, rules: WebhookRules): string | Refusal<'invalidRequest'> {
  const url = parseWebhookUrl(body.url, rules);
  if ('problem' in url) {
    // A developer cannot change the settings of the store.
    const place = role === undefined ? 'that the store allows' : 'that OPENTILL_WEBHOOK_ALLOW allows';
    const message = url.isOfAddress === true ? `${url.problem}, or one ${place}` : url.problem;
    return refuseValue('invalidRequest', '/url', message);
  }
  if (url.href.length <= webhookUrlMax) return url.href;
  return refuseValue(
    'invalidRequest',
    '/url',
    `expected at most ${webhookUrlMax} characters after URL encoding`,
  );
}

async function write(
  transaction: Queryable,
  { path: { packageName }, realNow, clientSecret, recordAction }: Call,
  { url, secret }: { readonly url: string; readonly secret: Buffer },
): Promise<{ readonly webhook: WebhookRow; readonly isNew: boolean } | Refusal<'forbidden'>> {
  const forbidden = await refuseOldSecret(transaction, packageName, clientSecret);
  if (forbidden !== undefined) return forbidden;
  const created = await insertWebhook(transaction, { packageName, url, secret, createdAt: realNow });
  const stored = created ?? (await lockWebhook(transaction, packageName));
  if (stored === undefined)
    throw new DatabaseUnavailable('The webhook was deleted while it was being stored.');
  if (created === undefined && stored.url === url) return { webhook: stored, isNew: false };
  const webhook = created ?? (await updateWebhook(transaction, { ...stored, url, updatedAt: realNow }));
  // The rest of the URL may be a secret.
  await recordAction(transaction, packageName, { origin: originOf(url) });
  return { webhook, isNew: created !== undefined };
}
