// Says where the events of an app are posted, in place of what was said before.

import { putWebhook as operation } from '@opentill/contract/operator-api/putWebhook.ts';
import { webhookUrlMax } from '@opentill/contract/webhooks.ts';
import { parseWebhookUrl, type WebhookRules } from '../../domain/webhook-address.ts';
import { formatWebhookSecret, madeSecretBytes } from '../../domain/webhook-signature.ts';
import { appendAppChange } from '../../store/app-changes.ts';
import { findApp } from '../../store/apps.ts';
import type { Queryable } from '../../store/database.ts';
import {
  findWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
  webhookRecord,
} from '../../store/webhooks.ts';
import { giveUpAll } from '../give-up-deliveries.ts';
import { noSuchApp } from './missing.ts';
import {
  answered,
  type CallOf,
  type OperatorHandler,
  operatorHandler,
  type ProblemAnswer,
} from './operator-handler.ts';
import { shownWebhook } from './shown-webhook.ts';
import type { WebhookParts } from './webhook-handlers.ts';

type Call = CallOf<typeof operation>;

export function putWebhook({ database, randomness, webhookRules }: WebhookParts): OperatorHandler {
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const url = readUrl(call.body.url, webhookRules);
    if (typeof url !== 'string') return url;
    if ((await findApp(database, packageName)) === undefined) return noSuchApp(packageName);
    if ((await findWebhook(database, packageName)) === undefined) await giveUpAll(database, packageName);
    const secret = randomness.bytes(madeSecretBytes);
    const { webhook, isNew } = await database.transaction(
      { packageName, record: webhookRecord },
      (transaction) => write(transaction, call, { url, secret }),
    );
    const shown = shownWebhook(webhook, call.realNow);
    if (!isNew) return answered(200, shown);
    return answered(201, { ...shown, secret: formatWebhookSecret(secret) });
  });
}

/** Its text in the one form that URLs have. */
function readUrl(text: string, rules: WebhookRules): string | ProblemAnswer<'invalidRequest'> {
  const url = parseWebhookUrl(text, rules);
  const problem = 'problem' in url ? url.problem : undefined;
  if (!('problem' in url) && url.href.length <= webhookUrlMax) return url.href;
  const message =
    problem ?? `expected at most ${webhookUrlMax} characters, once all are written as a URL has them`;
  return { problem: 'invalidRequest', detail: `/url: ${message}.`, errors: [{ path: '/url', message }] };
}

interface Written {
  readonly webhook: WebhookRow;
  readonly isNew: boolean;
}

async function write(
  transaction: Queryable,
  { path: { packageName }, realNow, author }: Call,
  { url, secret }: { readonly url: string; readonly secret: Buffer },
): Promise<Written> {
  const created = await insertWebhook(transaction, { packageName, url, secret, createdAt: realNow });
  const held = created ?? (await lockWebhook(transaction, packageName));
  if (held === undefined) throw new Error('A webhook that is there could not be held.');
  if (created === undefined && held.url === url) return { webhook: held, isNew: false };
  const webhook = created ?? (await updateWebhook(transaction, { ...held, url, updatedAt: realNow }));
  // The rest of the URL may be known to the receiver alone.
  const detail = `events are posted to ${new URL(url).origin}`;
  const change = { operationId: operation.operationId, detail, madeAt: realNow };
  await appendAppChange(transaction, packageName, change, author);
  return { webhook, isNew: created !== undefined };
}
