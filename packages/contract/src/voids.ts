// What a void of a purchase changes, as operators see it before and after.

import Type, { type Static } from 'typebox';
import { reasonFields } from './actions.ts';
import { EventType } from './events.ts';
import { Currency, OrderId, Price, PurchaseId, Timestamp } from './fields.ts';
import { Purchase, SubscriptionState } from './operator-resources.ts';

const subscription = { firstPurchaseId: PurchaseId, state: SubscriptionState };

export const VoidEffect = Type.Union(
  [
    Type.Object({ type: Type.Literal('accessEnds') }, { description: 'Access ends with the void.' }),
    Type.Object(
      { type: Type.Literal('accessEnded'), time: Timestamp },
      { description: 'The paid time was over before.' },
    ),
    Type.Object(
      { type: Type.Literal('accessContinues'), until: Timestamp },
      { description: 'The void concerns an earlier month: the paid time of the subscription stays.' },
    ),
    Type.Object(
      { type: Type.Literal('consumed'), consumedTime: Timestamp },
      { description: 'The purchase was consumed: only the developer can take back what was delivered.' },
    ),
    Type.Object(
      { type: Type.Literal('subscriptionEnds'), ...subscription },
      { description: 'The subscription, whose state is this one, is terminated.' },
    ),
    Type.Object(
      { type: Type.Literal('subscriptionUnchanged'), ...subscription },
      { description: 'The subscription keeps this state.' },
    ),
    Type.Object(
      { type: Type.Literal('openCharge'), firstPurchaseId: PurchaseId },
      { description: 'A charge for the next month is open: if it is paid, that month is voided at once.' },
    ),
    Type.Object(
      { type: Type.Literal('event'), eventType: EventType },
      { description: 'The developer gets this event.' },
    ),
    Type.Object(
      {
        type: Type.Literal('refund'),
        price: Price,
        currency: Currency,
        orderId: Type.Optional(OrderId),
      },
      { description: 'The checkout must return this amount; OpenTill does not.' },
    ),
  ],
  { $id: 'VoidEffect' },
);
export type VoidEffect = Static<typeof VoidEffect>;

export const EffectsHash = Type.String({
  pattern: '^[0-9a-f]{64}$',
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
