// Lists the webhooks of all apps, worst first.

import { listWebhooks as operation } from '@opentill/contract/operator-api/listWebhooks.ts';
import { WebhookSummary } from '@opentill/contract/webhooks.ts';
import type { Store } from '../../store/store.ts';
import {
  listWorstWebhooks,
  readWebhookFacts,
  type WebhookCounts,
  type WebhookFacts,
  WebhookPosition,
} from '../../store/webhooks/webhook-lists.ts';
import { listHandler } from '../list-handler.ts';
import type { OperatorHandler } from '../operator-handler.ts';
import { shown } from '../shown.ts';
import { originOf } from './webhook-response.ts';

export function listWebhooks({ database }: Store): OperatorHandler {
  return listHandler(operation, WebhookPosition, async ({ realNow }, page) => {
    const { rows, next } = await listWorstWebhooks(database.storeWide, page);
    const packageNames = rows.map(({ packageName }) => packageName);
    const facts = await readWebhookFacts(database.storeWide, { packageNames, realNow });
    const webhooks = rows.flatMap((counts) => {
      const found = facts.get(counts.packageName);
      return found === undefined ? [] : [summaryOf(counts, found)];
    });
    return { webhooks, next };
  });
}

function summaryOf(counts: WebhookCounts, facts: WebhookFacts): WebhookSummary {
  const { oldestTime: eventTime, waitedMs } = facts;
  return shown(WebhookSummary, {
    ...counts,
    name: facts.name,
    disabled: facts.isDisabled,
    origin: originOf(facts.url),
    oldest: eventTime !== null && waitedMs !== null ? { eventTime, waitedMs: Math.max(0, waitedMs) } : null,
    last: lastOf(facts),
  });
}

function lastOf({ lastId, lastState, lastEventTime, lastAttempt }: WebhookFacts): WebhookSummary['last'] {
  if (lastId === null || lastState === null || lastEventTime === null) return undefined;
  const attempt = lastAttempt !== null && { attempt: lastAttempt };
  return { id: lastId, state: lastState, eventTime: lastEventTime, ...attempt };
}
