// Extends the paid time of a subscription (docs/decisions/subscriptions.md).

import { extendSubscription as operation } from '@opentill/contract/operator-api/extendSubscription.ts';
import { decideExtension } from '../../domain/subscriptions/extension.ts';
import { describeNewestPeriod } from '../../domain/subscriptions/subscription.ts';
import { quoteInstant } from '../../domain/text/quoted-value.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { appendEvents } from '../../store/events/events.ts';
import type { Store } from '../../store/store.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import {
  moveEndOfPeriod,
  renewableFromRow,
  updateSubscription,
} from '../../store/subscriptions/subscriptions.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { changedSubscription } from './read-subscription.ts';

type Call = CallOf<typeof operation>;

export function extendSubscription(store: Store): OperatorHandler {
  const { database } = store;
  return operatorHandler(operation, async (call) => {
    const { packageName } = call.path;
    const extended = await database.transaction({ packageName }, (transaction) =>
      extend(transaction, store, call),
    );
    if (extended instanceof Refusal) return extended;
    return responded(200, changedSubscription(extended.row, extended.now));
  });
}

/** Returns the subscription as it is then, and the app's time of the decision. */
async function extend(transaction: Queryable, { clock }: Store, { path, body, author, recordAction }: Call) {
  const { packageName, firstPurchaseId } = path;
  const { expiryTime } = body;
  const row = await lockSubscription(transaction, path);
  if (row === undefined) return noSuchSubscription(path);
  const { now } = await clock.read(transaction, packageName);
  const decision = decideExtension(renewableFromRow(row), { now, expiryTime });
  if (decision.kind === 'same') return { row, now };
  if (decision.kind === 'invalid') {
    return new Refusal(
      'invalidRequest',
      `expiryTime: expected ${decision.expected}, got ${quoteInstant(expiryTime)}.`,
    );
  }
  if (decision.kind === 'refused') {
    return new Refusal('conflict', `Cannot extend the subscription: expected ${decision.expected}.`);
  }
  const { changed } = decision;
  const written = await updateSubscription(transaction, packageName, {
    change: changed,
    changedBy: author.madeBy,
  });
  await moveEndOfPeriod(transaction, { packageName, purchaseId: row.lastPurchaseId, expiryTime });
  const event = {
    type: 'subscription.extended',
    // A checkout's clock may be ahead, and nothing changes before it starts.
    eventTime: Math.max(now, row.lastStartTime),
    purchaseId: row.lastPurchaseId,
    firstPurchaseId,
    productId: row.productId,
    previousExpiryTime: row.expiryTime,
    record: describeNewestPeriod(changed),
  } as const;
  await appendEvents(transaction, packageName, [event], author);
  await recordAction(transaction, packageName, { previousExpiryTime: row.expiryTime, expiryTime });
  return { row: written, now };
}
