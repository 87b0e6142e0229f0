// What a void of a purchase changes, as operators see it before and after.

import Type, { type Static, type TProperties } from 'typebox';
import { reasonFields } from './actions.ts';
import { EventType } from './events.ts';
import { Currency, OrderId, Price, PurchaseId, Timestamp } from './fields.ts';
import { Purchase, SubscriptionState } from './operator-resources.ts';
import { hexadecimalHash } from './patterns.ts';

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
      'The void concerns an earlier month: the paid time of the subscription stays.',
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
      'A charge for the next month is open: if it is paid, that month is voided at once.',
    ),
    effect('event', { eventType: EventType }, 'The developer gets this event.'),
    effect(
      'refund',
      { price: Price, currency: Currency, orderId: Type.Optional(OrderId) },
      'The checkout must return this amount; OpenTill does not.',
    ),
  ],
  { $id: 'VoidEffect' },
);
export type VoidEffect = Static<typeof VoidEffect>;

export const EffectsHash = hexadecimalHash({
  description: 'SHA-256 over the effects, in hexadecimal.',
});

export const VoidPreview = Type.Object(
  {
    effects: Type.Array(VoidEffect, { description: 'Empty if the purchase is already void.' }),
    effectsHash: EffectsHash,
  },
  { $id: 'VoidPreview' },
);
export type VoidPreview = Static<typeof VoidPreview>;

export const Void = Type.Object(
  { ...Purchase.properties, ...reasonFields },
  {
    $id: 'Void',
    description:
      'A voided purchase, with the reason, note and ticket of the call that voided it. They are absent if that call had none, and if an app voided its own purchase in the sandbox.',
  },
);
export type Void = Static<typeof Void>;
