// Creates the webhook of an app or replaces its URL.

import { putWebhook as operation } from '@opentill/contract/operator-api/putWebhook.ts';
import { webhookUrlMax } from '@opentill/contract/webhooks.ts';
import { parseWebhookUrl, type WebhookRules } from '../../domain/webhooks/webhook-address.ts';
import { formatWebhookSecret, generatedSecretBytes } from '../../domain/webhooks/webhook-signature.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Database, Queryable } from '../../store/connection/database.ts';
import { hasOpenDeliveries } from '../../store/webhooks/deliveries.ts';
import {
  deleteWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
  webhookRecord,
} from '../../store/webhooks/webhooks.ts';
import type { Uses } from '../handler-options.ts';
import { noSuchApp } from '../missing.ts';
import { answered, type CallOf, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { type Refusal, refuseValue } from '../refusal.ts';
import { abandonAllDeliveries } from './abandon-deliveries.ts';
import { originOf, webhookResponse } from './webhook-response.ts';

type Call = CallOf<typeof operation>;

/** A round fails only if the webhook is deleted concurrently. */
const roundsMax = 8;

export function putWebhook({
  store: { database },
  randomness,
  webhookRules,
}: Uses<'store' | 'randomness' | 'webhookRules'>): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const url = readUrl(call, webhookRules);
    if (typeof url !== 'string') return url;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    const secret = randomness.bytes(generatedSecretBytes);
    const { webhook, isNew } = await put(database, call, { url, secret });
    const response = webhookResponse(webhook, call.realNow);
    if (!isNew) return answered(200, response);
    return answered(201, { ...response, secret: formatWebhookSecret(secret) });
  });
}

/** A new webhook gets no deliveries of a previous one, even if that is being deleted concurrently. */
async function put(
  database: Database,
  call: Call,
  to: { readonly url: string; readonly secret: Buffer },
): Promise<Written> {
  const { packageName } = call.path;
  for (let round = 0; round < roundsMax; round += 1) {
    const scope = { packageName, record: webhookRecord };
    const outcome = await database.transaction(scope, (transaction) => write(transaction, call, to));
    if ('webhook' in outcome) return outcome;
    await abandonAllDeliveries(database, { packageName, until: outcome.openUntil });
  }
  throw new Error(`The webhook was deleted ${roundsMax} times while it was being stored.`);
}

/** Returns the URL in normalized form. */
function readUrl({ body, role }: Call, rules: WebhookRules): string | Refusal<'invalidRequest'> {
  const url = parseWebhookUrl(body.url, rules);
  if ('problem' in url) {
    // A developer cannot change the settings of the store.
    const place =
      role === undefined ? 'that the store allows (docs/webhooks.md)' : 'that OPENTILL_WEBHOOK_ALLOW allows';
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

interface Written {
  readonly webhook: WebhookRow;
  readonly isNew: boolean;
}

/** Nothing was written, because deliveries of a deleted webhook up to this order are still open. */
interface NotWritten {
  readonly openUntil: number;
}

async function write(
  transaction: Queryable,
  { path: { packageName }, realNow, recordAction }: Call,
  { url, secret }: { readonly url: string; readonly secret: Buffer },
): Promise<Written | NotWritten> {
  const created = await insertWebhook(transaction, { packageName, url, secret, createdAt: realNow });
  if (created !== undefined && (await hasOpenDeliveries(transaction, packageName))) {
    await deleteWebhook(transaction, packageName);
    return { openUntil: created.cursorOrder };
  }
  const locked = created ?? (await lockWebhook(transaction, packageName));
  // The webhook was deleted in between.
  if (locked === undefined) return { openUntil: 0 };
  if (created === undefined && locked.url === url) return { webhook: locked, isNew: false };
  const webhook = created ?? (await updateWebhook(transaction, { ...locked, url, updatedAt: realNow }));
  // The rest of the URL may be a secret.
  await recordAction(transaction, packageName, `events are posted to ${originOf(url)}`);
  return { webhook, isNew: created !== undefined };
}
