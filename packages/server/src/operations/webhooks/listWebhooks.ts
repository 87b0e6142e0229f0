// Lists the webhooks of all apps, worst first.

import { PackageName } from '@opentill/contract/fields.ts';
import { listWebhooks as operation } from '@opentill/contract/operator-api/listWebhooks.ts';
import { countedDeliveriesMax, type WebhookSummary } from '@opentill/contract/webhooks.ts';
import Type from 'typebox';
import {
  listWorstWebhooks,
  readWebhookFacts,
  type WebhookCounts,
  type WebhookFacts,
} from '../../store/webhooks/webhook-lists.ts';
import type { Uses } from '../handler-options.ts';
import { answered, type OperatorHandler, operatorHandler } from '../operator-handler.ts';
import { pageToken } from '../page-token.ts';
import { Refusal } from '../refusal.ts';
import { nextPage, pageOfRows, requestedPage } from '../requested-page.ts';
import { originOf } from './webhook-response.ts';

const token = pageToken(
  Type.Object({
    packageName: PackageName,
    dead: Type.Integer({ minimum: 0, maximum: countedDeliveriesMax }),
    open: Type.Integer({ minimum: 0, maximum: 2 * countedDeliveriesMax }),
  }),
);

export function listWebhooks({ store: { database } }: Uses<'store'>): OperatorHandler {
  return operatorHandler(operation, async ({ query, realNow }) => {
    const page = requestedPage(query, token);
    if (page instanceof Refusal) return page;
    const rows = await listWorstWebhooks(database.storeWide, { after: page.after, limit: page.limit + 1 });
    const { items, next } = pageOfRows(rows, page.limit);
    const packageNames = items.map(({ packageName }) => packageName);
    const facts = await readWebhookFacts(database.storeWide, { packageNames, realNow });
    return answered(200, {
      webhooks: items.flatMap((counts) => {
        const found = facts.get(counts.packageName);
        return found === undefined ? [] : [summaryOf(counts, found)];
      }),
      ...nextPage(next && { ...next, open: next.waiting + next.held }, token),
    });
  });
}

function summaryOf({ packageName, waiting, held, dead }: WebhookCounts, facts: WebhookFacts): WebhookSummary {
  const { name, isDisabled, url, oldestTime, waitedMs } = facts;
  const last = lastOf(facts);
  return {
    packageName,
    ...(name !== null && { name }),
    disabled: isDisabled,
    origin: originOf(url),
    waiting,
    held,
    dead,
    ...(oldestTime !== null &&
      waitedMs !== null && { oldest: { eventTime: oldestTime, waitedMs: Math.max(0, waitedMs) } }),
    ...(last !== undefined && { last }),
  };
}

function lastOf({ lastId, lastState, lastEventTime, lastAttempt }: WebhookFacts): WebhookSummary['last'] {
  if (lastId === null || lastState === null || lastEventTime === null) return undefined;
  const attempt = lastAttempt !== null && { attempt: lastAttempt };
  return { id: lastId, state: lastState, eventTime: lastEventTime, ...attempt };
}
