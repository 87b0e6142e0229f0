// Sends a test event to the webhook of an app.

import type { TestEvent } from '@opentill/contract/events.ts';
import { testWebhook as operation } from '@opentill/contract/operator-api/testWebhook.ts';
import type { Static } from 'typebox';
import { eventIdOf } from '../../domain/events/event-id.ts';
import { minuteMs } from '../../domain/time.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import { appendEvents } from '../../store/events/events.ts';
import type { Store } from '../../store/store.ts';
import { findWebhook } from '../../store/webhooks/webhooks.ts';
import { type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchWebhook, TooManyCalls } from '../refusal.ts';

const about = { purchaseId: null, firstPurchaseId: null, productId: null, record: null } as const;

/** Developers call this themselves: test events of an app per minute, counted by each server. */
const testEventsMax = 60;

export function testWebhook({ database, clock, environment }: Store): OperatorHandler {
  const windows = new FixedWindows(minuteMs);
  return operatorHandler(operation, async ({ path: { packageName }, realNow, author, recordAction }) => {
    if ((await findWebhook(database, packageName)) === undefined) return noSuchWebhook(packageName);
    const { count, restMs } = windows.count(packageName, realNow);
    if (count > testEventsMax) {
      return new TooManyCalls(
        `Expected at most ${testEventsMax} test events per minute, got ${count}.`,
        restMs,
      );
    }
    const type = 'test';
    const { order, now } = await database.transaction({ packageName }, async (transaction) => {
      const { now } = await clock.read(transaction, packageName);
      const events = [{ type, eventTime: now, ...about } as const];
      const order = await appendEvents(transaction, packageName, events, author);
      await recordAction(transaction, packageName);
      return { order, now };
    });
    const id = eventIdOf({ environment, packageName, order, requestId: author.requestId });
    const event: Static<typeof TestEvent> = { id, type, order, eventTime: now, environment, packageName };
    return responded(201, event);
  });
}
