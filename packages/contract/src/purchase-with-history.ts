// A purchase with who changed it, and what its void would change.

import Type, { type Static, type TProperties } from 'typebox';
import { EventType } from './events.ts';
import { Currency, OrderId, Price, ProductTitle, PurchaseId, Timestamp } from './fields.ts';
import { historyFields, Purchase, SubscriptionState } from './operator-resources.ts';

/** Limits the history of a purchase, because auto-payment can be cancelled and reactivated any number of times. */
export const historyEntriesMax = 100;

export const HistoryEntry = Type.Object(historyFields);

const subscription = { firstPurchaseId: PurchaseId, state: SubscriptionState };

const effect = <Name extends string, Fields extends TProperties>(
  name: Name,
  fields: Fields,
  description: string,
) => Type.Object({ type: Type.Literal(name), ...fields }, { description });

export const VoidEffect = Type.Union(
  [
    effect('accessEnds', {}, 'Access ends with the void.'),
    effect('accessEnded', { time: Timestamp }, 'The paid time was over before.'),
    effect(
      'accessContinues',
      { until: Timestamp },
      'The void concerns an earlier period: the paid time of the subscription stays.',
    ),
    effect(
      'consumed',
      { consumedTime: Timestamp },
      'The purchase was consumed: only the developer can take back what was delivered.',
    ),
    effect('subscriptionEnds', subscription, 'The subscription, whose state is this one, is terminated.'),
    effect('subscriptionUnchanged', subscription, 'The subscription keeps this state.'),
    effect(
      'openCharge',
      { firstPurchaseId: PurchaseId },
      'A charge for the next period is open: if it is paid, that period is voided at once.',
    ),
    effect('event', { eventType: EventType }, 'The developer gets this event.'),
    effect(
      'refund',
      { price: Price, currency: Currency, orderId: Type.Optional(OrderId) },
      'The checkout must return this amount, or the refundAmount of the void; OpenTill does not.',
    ),
  ],
  { $id: 'VoidEffect' },
);
export type VoidEffect = Static<typeof VoidEffect>;

export const PurchaseWithHistory = Type.Object(
  {
    ...Purchase.properties,
    productTitle: Type.Optional(ProductTitle),
    history: Type.Array(HistoryEntry, {
      maxItems: historyEntriesMax,
      description: `Who changed the purchase and when, oldest first: the latest ${historyEntriesMax} changes whose events are retained.`,
    }),
    voidEffects: Type.Array(VoidEffect, {
      description: 'What a void would change now; empty if the purchase is already void.',
    }),
  },
  { $id: 'PurchaseWithHistory' },
);
export type PurchaseWithHistory = Static<typeof PurchaseWithHistory>;
