// Webhooks: the URL that receives an app's events, and the delivery of each event.

import Type, { type Static } from 'typebox';
import { EventId, EventOrder, EventType } from './events.ts';
import { AppName, describedNameOf, PackageName, PurchaseId, Timestamp } from './fields.ts';
import { patternText } from './patterns.ts';

/** Longest URL, in its stored form. */
export const webhookUrlMax = 2_048;

const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: webhookUrlMax,
  examples: ['https://api.store.example/hooks'],
  description:
    'The URL that receives events with POST. It has no user name; its port is 80, 443, or 1024 or above; in production it uses https and a public address.',
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
        description:
          'Present during a rotation: until this instant, in ms, deliveries are also signed with the previous secret.',
      }),
    ),
  },
  { $id: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const secret = patternText('^whsec_[A-Za-z0-9+/]+={0,2}$', 'whsec_ and base64', {
  description: 'The secret that signs deliveries. Returned only in this response.',
});

export const NewWebhook = Type.Object({ ...webhookFields, secret }, { $id: 'NewWebhook' });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookSecret = Type.Object(
  {
    secret,
    previousSecretUntil: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description: 'Until this instant, in ms, deliveries are also signed with the previous secret.',
      }),
    ),
  },
  { $id: 'WebhookSecret' },
);
export type WebhookSecret = Static<typeof WebhookSecret>;

/** Why an attempt got no complete response. */
export const deliveryFailures = {
  nameNotFound: 'The host name of the receiver was not found.',
  addressRefused: 'The receiver has no public address, and none that the store allows.',
  connectionRefused: 'The receiver refused the connection.',
  connectionFailed: 'The connection could not be established.',
  connectionLost: 'The connection closed before the response was complete.',
  tlsFailed: 'The certificate of the receiver is not valid for its host name, or the TLS handshake failed.',
  malformedResponse: 'The response is not valid HTTP.',
  timedOut: 'The response was not complete within 10 seconds.',
  eventRemoved: 'The event is no longer retained.',
} as const satisfies Record<string, string>;

export const DeliveryFailure = describedNameOf(deliveryFailures);
export type DeliveryFailure = Static<typeof DeliveryFailure>;

/** Bytes of a response body that are retained. */
export const deliveryResponseBytesMax = 1_024;

/** No code is near it. */
const failureCodeMax = 100;

/** Characters of the address of a redirect that are retained. */
export const deliveryLocationMax = 512;

/** Latest attempts of a delivery that are retained: a whole schedule, and some manual ones. */
export const keptAttemptsMax = 20;

export const DeliveryAttempt = Type.Object(
  {
    time: Type.Integer({ ...Timestamp, description: 'When the attempt started, in real time, in ms.' }),
    appTime: Type.Integer({ ...Timestamp, description: "The same instant by the app's clock." }),
    httpStatus: Type.Optional(Type.Integer({ description: 'Absent if there was no response.' })),
    failure: Type.Optional(DeliveryFailure),
    failureCode: Type.Optional(
      Type.String({
        maxLength: failureCodeMax,
        description: 'The error code of Node.js for tlsFailed, such as SELF_SIGNED_CERT_IN_CHAIN.',
        examples: ['SELF_SIGNED_CERT_IN_CHAIN'],
      }),
    ),
    location: Type.Optional(
      Type.String({
        maxLength: deliveryLocationMax,
        description: 'The address of a redirect, which is not followed.',
      }),
    ),
    latencyMs: Type.Number({
      minimum: 0,
      description: 'The time until the response was complete or the attempt ended.',
    }),
    response: Type.String({
      description: `The response body, truncated to ${deliveryResponseBytesMax} bytes.`,
    }),
    isResponseCut: Type.Boolean({ description: 'Whether the response body was truncated.' }),
  },
  { $id: 'DeliveryAttempt' },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

const deliveryStates = {
  delivered: 'The receiver responded with a status from 200 to 299.',
  waiting: 'The next attempt is at dueTime.',
  held: 'Waits until an earlier event of the same purchase is delivered or dead.',
  dead: 'Abandoned after the last attempt or a response 410, or because the webhook was deleted.',
} as const satisfies Record<string, string>;

export const DeliveryState = describedNameOf(deliveryStates);
export type DeliveryState = Static<typeof DeliveryState>;

/** The id of a delivery is the id of its event, which is also the webhook-id of each attempt. */
export const DeliveryId = EventId;

const deliveryFields = {
  id: DeliveryId,
  order: EventOrder,
  type: EventType,
  eventTime: Timestamp,
  purchaseId: Type.Optional(PurchaseId),
  state: DeliveryState,
  dueTime: Type.Optional(
    Type.Integer({
      ...Timestamp,
      description:
        "When the next attempt is made, by the app's clock; present while the delivery is waiting.",
    }),
  ),
  attempts: Type.Array(DeliveryAttempt, {
    maxItems: keptAttemptsMax,
    description: `The latest ${keptAttemptsMax} attempts, oldest first.`,
  }),
};

export const Delivery = Type.Object(deliveryFields, {
  $id: 'Delivery',
  description: 'The delivery of one event to the webhook.',
});
export type Delivery = Static<typeof Delivery>;

/** Why a delivery is in its state. */
const deliveryCauses = {
  delivered: 'The receiver accepted it.',
  notAttempted: 'It was not attempted yet.',
  rescheduled: 'Its schedule was restarted.',
  retried: 'Its latest attempt failed.',
  heldBehind: 'An earlier event of the same purchase comes first.',
  appDisabled: 'The app is disabled.',
  exhausted: 'The last attempt of its schedule failed.',
  gone: 'The receiver responded with 410.',
  eventRemoved: 'Its event was removed before it was delivered.',
  webhookDeleted: 'The webhook was deleted.',
} as const satisfies Record<string, string>;

export const DeliveryCause = Type.Object(
  {
    kind: describedNameOf(deliveryCauses),
    text: Type.String({ description: 'The cause in a sentence, for people.' }),
    attempt: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The attempt that shows it: 1 is the first one listed.' }),
    ),
    deliveryId: Type.Optional(DeliveryId),
  },
  { description: 'Why the delivery is in its state.' },
);
export type DeliveryCause = Static<typeof DeliveryCause>;

export const DeliveryWithRequest = Type.Object(
  {
    ...deliveryFields,
    cause: DeliveryCause,
    deliveredTime: Type.Optional(
      Type.Integer({ ...Timestamp, description: "When it was first delivered, by the app's clock." }),
    ),
    heldBehind: Type.Optional(
      Type.Object(
        { id: DeliveryId, order: EventOrder },
        { description: 'The earlier delivery that a held one waits for.' },
      ),
    ),
    request: Type.Optional(
      Type.Object(
        {
          headers: Type.Object(
            {
              'content-type': Type.String(),
              'user-agent': Type.String(),
              'webhook-id': DeliveryId,
              'webhook-timestamp': Type.Optional(
                Type.String({ description: 'The time of the latest attempt, in seconds.' }),
              ),
            },
            { description: 'The headers of the latest attempt, without the signature.' },
          ),
          body: Type.String({ description: 'The body of every attempt, as it is signed.' }),
        },
        { description: 'Absent if the event is no longer retained.' },
      ),
    ),
  },
  { $id: 'DeliveryWithRequest' },
);
export type DeliveryWithRequest = Static<typeof DeliveryWithRequest>;

/** Open or dead deliveries of a webhook are counted up to this number, which limits the cost of a list of all apps. */
export const countedDeliveriesMax = 1_000;

const countOf = (state: DeliveryState) =>
  Type.Integer({
    minimum: 0,
    maximum: countedDeliveriesMax,
    description: `Deliveries with the state ${state}, counted up to ${countedDeliveriesMax}.`,
  });

export const WebhookSummary = Type.Object(
  {
    packageName: PackageName,
    name: Type.Optional(AppName),
    disabled: Type.Boolean({ description: 'Whether the app is disabled, which stops its deliveries.' }),
    origin: Type.String({ description: 'The scheme, host and port of the URL.' }),
    failing: Type.Boolean({
      description: 'Whether the latest event that was attempted is not delivered, and deliveries wait.',
    }),
    waiting: countOf('waiting'),
    held: countOf('held'),
    dead: countOf('dead'),
    oldest: Type.Optional(
      Type.Object(
        {
          eventTime: Timestamp,
          waitedMs: Type.Integer({
            minimum: 0,
            description: "How long it has been waiting by the app's clock, in ms.",
          }),
        },
        { description: 'The oldest event that is neither delivered nor dead.' },
      ),
    ),
    last: Type.Optional(
      Type.Object(
        {
          id: DeliveryId,
          state: DeliveryState,
          eventTime: Timestamp,
          attempt: Type.Optional(DeliveryAttempt),
        },
        { description: 'The delivery of the latest event that was attempted, with its latest attempt.' },
      ),
    ),
  },
  { $id: 'WebhookSummary' },
);
export type WebhookSummary = Static<typeof WebhookSummary>;
