// Webhooks: where an app wants its events, and what became of each delivery of one.

import Type, { type Static } from 'typebox';
import { EventId, EventOrder, EventType } from './events.ts';
import { oneNameOf, PackageName, PurchaseId, Timestamp } from './fields.ts';

/** Longer than any URL that is meant; in the form in which it is kept. */
export const webhookUrlMax = 2_048;

const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: webhookUrlMax,
  description:
    'Where events are posted: https in production, with a public address, without a user; on port 80, 443, or one from 1024 on.',
});

export const PutWebhookRequest = Type.Object({ url: WebhookUrl }, { additionalProperties: false });

const webhookFields = {
  packageName: PackageName,
  url: WebhookUrl,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Webhook = Type.Object(
  {
    ...webhookFields,
    previousSecretUntil: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description: 'Present during a rotation: until then, ms, the secret before signs too.',
      }),
    ),
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  description: 'What deliveries are signed with, for the receiver. Shown in this answer only.',
});

export const NewWebhook = Type.Object({ ...webhookFields, secret }, { $id: 'NewWebhook' });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookSecret = Type.Object(
  {
    secret,
    previousSecretUntil: Type.Optional(
      Type.Integer({ ...Timestamp, description: 'Until then, ms, the secret before signs too.' }),
    ),
  },
  { $id: 'WebhookSecret' },
);
export type WebhookSecret = Static<typeof WebhookSecret>;

/** Why an attempt had no whole answer. */
const deliveryFailures = {
  nameNotFound: 'The name of the receiver was not found.',
  addressRefused: 'The receiver has no address that webhooks may be sent to.',
  connectionRefused: 'Nobody listens at the address and port.',
  connectionFailed: 'No connection was made.',
  connectionLost: 'The connection ended before the answer did.',
  tlsFailed: 'The receiver has no certificate that is good for its name, or speaks no TLS.',
  malformedAnswer: 'What came back is not HTTP.',
  timedOut: 'The answer was not whole within 10 seconds.',
  eventRemoved: 'The event is older than what is kept.',
} as const satisfies Record<string, string>;

export type DeliveryFailure = keyof typeof deliveryFailures;

/** Of an answer's body so many bytes are kept. */
export const deliveryAnswerBytesMax = 1_024;

/** The newest attempts of a delivery that are kept: those of one schedule, and some by hand. */
export const keptAttemptsMax = 20;

export const DeliveryAttempt = Type.Object(
  {
    time: Type.Integer({ ...Timestamp, description: 'When it was made, in real time, ms.' }),
    appTime: Type.Integer({ ...Timestamp, description: "The same instant by the app's own clock." }),
    httpStatus: Type.Optional(Type.Integer({ description: 'Absent when no answer came.' })),
    failure: Type.Optional(
      oneNameOf(deliveryFailures, {
        description: Object.entries(deliveryFailures)
          .map(([name, text]) => `${name}: ${text}`)
          .join(' '),
      }),
    ),
    latencyMs: Type.Number({
      minimum: 0,
      description: 'Until the whole answer had come, or the attempt ended.',
    }),
    answer: Type.String({
      description: `The body of the answer, at most ${deliveryAnswerBytesMax} bytes of it.`,
    }),
    isAnswerCut: Type.Boolean({ description: 'The body was longer than what is kept.' }),
  },
  { $id: 'DeliveryAttempt' },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const deliveryStates = {
  delivered: 'answered with a status from 200 to 299',
  waiting: 'to be tried at dueTime',
  held: 'waits until an earlier event of the same purchase is delivered or dead',
  dead: 'given up after the last attempt, or because the webhook was deleted',
} as const satisfies Record<string, string>;

export const DeliveryState = oneNameOf(deliveryStates, {
  description: `${Object.entries(deliveryStates)
    .map(([name, text]) => `${name}: ${text}`)
    .join('; ')}.`,
});
export type DeliveryState = Static<typeof DeliveryState>;

/** A delivery is named by its event: it is also the webhook-id of each of its attempts. */
export const DeliveryId = EventId;

export const Delivery = Type.Object(
  {
    id: DeliveryId,
    order: EventOrder,
    type: EventType,
    eventTime: Timestamp,
    purchaseId: Type.Optional(PurchaseId),
    state: DeliveryState,
    dueTime: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description: "Of one that waits: the next attempt is made then, by the app's own clock.",
      }),
    ),
    attempts: Type.Array(DeliveryAttempt, {
      maxItems: keptAttemptsMax,
      description: `Oldest first, at most the last ${keptAttemptsMax}.`,
    }),
  },
  { $id: 'Delivery', description: 'One event on its way to the webhook.' },
);
export type Delivery = Static<typeof Delivery>;
