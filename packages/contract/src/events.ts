// Events: what the feed lists and what webhooks carry, one for each change of a purchase or subscription. The
// record is that of the purchase API: an event says what changed, and what to ask.

import Type, { type Static, type TProperties } from 'typebox';
import { Environment, oneNameOf, PackageName, ProductId, PurchaseId, Timestamp } from './fields.ts';
import { PurchaseDetails, RecurringPurchaseDetails } from './resources.ts';

/** What each type of event tells. */
export const eventTypes = {
  'purchase.completed': 'A purchase was recorded, or a month that was paid after its subscription had ended.',
  'purchase.consumed': 'A purchase was consumed.',
  'purchase.voided': 'A purchase, or a month of a subscription, was voided: the money went back.',
  'subscription.started': 'The first month of a subscription was recorded.',
  'subscription.renewed': 'The next month was paid: a purchase of its own, which purchaseId names.',
  'subscription.payment_failed':
    'A payment was declined. While nextPaymentTime is there, it is tried again then.',
  'subscription.auto_payment_cancelled': 'Auto-payment was cancelled: the paid month goes on to its end.',
  'subscription.auto_payment_reactivated': 'The cancel of auto-payment was taken back.',
  'subscription.expired': 'The paid time is over, and no payment follows.',
  'subscription.terminated': 'The subscription ended at once.',
  test: 'Nothing happened: somebody asked for a test event.',
} as const satisfies Record<string, string>;

export const EventType = oneNameOf(eventTypes);
export type EventType = Static<typeof EventType>;

/** An order has at most so many digits, like every number that JSON carries safely. */
export const eventOrderDigitsMax = 15;

/** Of an id: the check behind the order, in base64url. */
export const eventCheckLength = 16;

export const EventId = Type.String({
  pattern: `^evt_(?:0|[1-9][0-9]{0,${eventOrderDigitsMax - 1}})_[A-Za-z0-9_-]{${eventCheckLength}}$`,
  description:
    'Names this event alone, in every environment: told twice, it is the same event. It is also the place to read on from.',
});

export const EventOrder = Type.Integer({
  minimum: 1,
  description:
    "Its place among the events of the app: 1, 2, 3 and so on. Of one purchase's, the last counts.",
});

function event<const Name extends EventType, Fields extends TProperties>(
  type: Name,
  $id: string,
  fields: Fields,
) {
  return Type.Object(
    {
      id: EventId,
      type: Type.Literal(type),
      order: EventOrder,
      eventTime: Type.Integer({ ...Timestamp, description: "When it happened, by the app's own clock, ms." }),
      environment: Environment,
      packageName: PackageName,
      ...fields,
    },
    { $id, description: eventTypes[type] },
  );
}

const recordOf = 'What the purchase API showed of purchaseId right after the change.';
const absentRecord = 'Absent where an earlier version of the server wrote the event: then ask the API.';

const purchase = {
  purchaseId: PurchaseId,
  productId: ProductId,
  record: Type.Optional(PurchaseDetails),
};

const month = {
  purchaseId: PurchaseId,
  firstPurchaseId: PurchaseId,
  productId: ProductId,
  record: Type.Optional(RecurringPurchaseDetails),
};

const purchaseOrMonth = {
  purchaseId: PurchaseId,
  firstPurchaseId: Type.Optional(PurchaseId),
  productId: ProductId,
  record: Type.Optional(
    Type.Union([PurchaseDetails, RecurringPurchaseDetails], {
      description: `${recordOf} With a firstPurchaseId it is that of a month. ${absentRecord}`,
    }),
  ),
};

export const PurchaseCompleted = event('purchase.completed', 'PurchaseCompleted', purchaseOrMonth);
export const PurchaseConsumed = event('purchase.consumed', 'PurchaseConsumed', purchase);
export const PurchaseVoided = event('purchase.voided', 'PurchaseVoided', purchaseOrMonth);
export const SubscriptionStarted = event('subscription.started', 'SubscriptionStarted', month);
export const SubscriptionRenewed = event('subscription.renewed', 'SubscriptionRenewed', month);
export const SubscriptionPaymentFailed = event(
  'subscription.payment_failed',
  'SubscriptionPaymentFailed',
  month,
);
export const SubscriptionAutoPaymentCancelled = event(
  'subscription.auto_payment_cancelled',
  'SubscriptionAutoPaymentCancelled',
  month,
);
export const SubscriptionAutoPaymentReactivated = event(
  'subscription.auto_payment_reactivated',
  'SubscriptionAutoPaymentReactivated',
  month,
);
export const SubscriptionExpired = event('subscription.expired', 'SubscriptionExpired', month);
export const SubscriptionTerminated = event('subscription.terminated', 'SubscriptionTerminated', month);
export const TestEvent = event('test', 'TestEvent', {});

/** One schema for each type, in the order of `eventTypes`. */
export const eventSchemas = [
  PurchaseCompleted,
  PurchaseConsumed,
  PurchaseVoided,
  SubscriptionStarted,
  SubscriptionRenewed,
  SubscriptionPaymentFailed,
  SubscriptionAutoPaymentCancelled,
  SubscriptionAutoPaymentReactivated,
  SubscriptionExpired,
  SubscriptionTerminated,
  TestEvent,
] as const;

export const Event = Type.Union([...eventSchemas], {
  $id: 'Event',
  description: 'A change of a purchase or subscription, told apart by its type.',
});
export type Event = Static<typeof Event>;
