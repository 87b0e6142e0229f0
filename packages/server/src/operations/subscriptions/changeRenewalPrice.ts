// Changes the price of the periods that follow the present one (docs/decisions/subscriptions.md).

import { changeRenewalPrice as operation } from '@opentill/contract/operator-api/changeRenewalPrice.ts';
import { decidePriceChange } from '../../domain/subscriptions/price-change.ts';
import { describeNewestPeriod, renewalPriceOf } from '../../domain/subscriptions/subscription.ts';
import type { Queryable } from '../../store/connection/database.ts';
import { appendEvents } from '../../store/events/events.ts';
import type { Store } from '../../store/store.ts';
import { lockSubscription } from '../../store/subscriptions/subscription-locks.ts';
import { renewableFromRow, updateSubscription } from '../../store/subscriptions/subscriptions.ts';
import { type CallOf, type OperatorHandler, operatorHandler, responded } from '../operator-handler.ts';
import { noSuchSubscription, Refusal } from '../refusal.ts';
import { autoPaymentEvents } from './change-auto-payment.ts';
import { changedSubscription } from './read-subscription.ts';

type Call = CallOf<typeof operation>;

export function changeRenewalPrice(store: Store): OperatorHandler {
  const { database } = store;
  return operatorHandler(operation, async (call) => {
    const changed = await database.transaction(call.path, (transaction) =>
      changePrice(transaction, store, call),
    );
    if (changed instanceof Refusal) return changed;
    return responded(200, changedSubscription(changed.row, changed.now));
  });
}

/** Returns the subscription as it is then, and the app's time of the decision. */
async function changePrice(transaction: Queryable, { clock }: Store, call: Call) {
  const { path, body, author, recordAction } = call;
  const { packageName, firstPurchaseId } = path;
  const { price: renewalPrice, consent } = body;
  const row = await lockSubscription(transaction, path);
  if (row === undefined) return noSuchSubscription(path);
  const { now } = await clock.read(transaction, packageName);
  // A checkout's clock may be ahead, and nothing changes before it starts.
  const eventTime = Math.max(now, row.lastStartTime);
  const by = { now: eventTime, price: renewalPrice, asks: consent !== undefined };
  const decision = decidePriceChange(renewableFromRow(row), by);
  if (decision.kind === 'same') return { row, now };
  if (decision.kind === 'refused') {
    return new Refusal('conflict', `Cannot change the price: expected ${decision.expected}.`);
  }
  const { priced, changed } = decision;
  const { madeBy } = author;
  const written = await updateSubscription(transaction, packageName, { change: changed, changedBy: madeBy });
  const previousRenewalPrice = renewalPriceOf(row);
  const event = {
    type: 'subscription.renewal_price_changed',
    eventTime,
    purchaseId: row.lastPurchaseId,
    firstPurchaseId,
    productId: row.productId,
    record: describeNewestPeriod(priced),
    renewalPrice,
    previousRenewalPrice,
  } as const;
  const events = [event, ...autoPaymentEvents(row, changed, { eventTime, consent })];
  await appendEvents(transaction, packageName, events, author);
  await recordAction(transaction, packageName, {
    previousRenewalPrice,
    renewalPrice,
    currency: row.currency,
    ...(consent !== undefined && { consent }),
  });
  return { row: written, now };
}
