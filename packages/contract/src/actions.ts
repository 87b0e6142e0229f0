// The audit trail: one action for each operator call that changed something or took a file, and for each import and export.

import Type, { type Static } from 'typebox';
import { EventConsent } from './events.ts';
import {
  AppName,
  ClientId,
  ClockMode,
  Currency,
  describedNameOf,
  PackageName,
  Price,
  ProductTitle,
  ProductType,
  sizes,
  Timestamp,
  text,
} from './fields.ts';
import { Period } from './periods.ts';
import { AttemptOutcome } from './renewals.ts';

/** Why a call was made, with their descriptions. */
export const reasonCodes = {
  customerRequest: 'The customer asked for it.',
  duplicate: 'The purchase was made twice.',
  fraud: 'The purchase was fraudulent.',
  chargeback: 'The payment was charged back.',
  malfunction: 'The product or the store did not work.',
  test: 'A test.',
  other: 'Another reason: see the note.',
} as const satisfies Record<string, string>;

export const ReasonCode = describedNameOf(reasonCodes);
export type ReasonCode = Static<typeof ReasonCode>;

const Note = text(1, sizes.note, 'A note for people.');
const Ticket = text(1, sizes.ticket, 'The number of a support ticket.');

/** Fields of a body that say why a call was made; they are stored in its action. */
export const reasonFields = {
  reasonCode: Type.Optional(ReasonCode),
  note: Type.Optional(Note),
  ticket: Type.Optional(Ticket),
};

/** The body of an operation that takes no other fields. */
export const Reason = Type.Object(reasonFields, { additionalProperties: false });

export const ActionSubject = text(
  1,
  sizes.actionSubject,
  'The id in the path of the call, such as a purchaseId or a productId.',
);
export const ActionAuthor = text(
  1,
  sizes.actionAuthor,
  'operator:<key name>, command:<user name> or job:<name>.',
);
export const ActionOperation = text(1, sizes.operationId, 'The operationId, or the name of a command.');

const count = (description: string, ...examples: readonly number[]) =>
  Type.Integer({ minimum: 0, description, ...(examples.length > 0 && { examples: [...examples] }) });
const instant = (description: string) => Type.Integer({ ...Timestamp, description });

/** The limit of a list of names, filters or counts. */
const listLengthMax = 10_000;

/** It has no data of a buyer, so that an erasure changes no action. */
export const ActionDetail = Type.Partial(
  Type.Object({
    clientId: ClientId,
    name: Type.Union([AppName, Type.Null()], { description: 'The new name of the app, null for none.' }),
    previousName: Type.Union([AppName, Type.Null()], { description: 'The earlier name, null for none.' }),
    disabled: Type.Boolean({ description: 'Whether the app has been disabled or enabled.' }),
    generation: count('The generation of the tokens that are valid since then.'),
    keepPreviousForSeconds: count('How long the previous secret remains valid.'),
    type: ProductType,
    period: Period,
    price: Price,
    currency: Currency,
    title: ProductTitle,
    origin: text(1, listLengthMax, 'Where events are posted, without the rest of the URL.'),
    sinceTime: instant('Deliveries that have failed since then were rescheduled.'),
    previousExpiryTime: instant('The end of the paid time before.'),
    expiryTime: instant('The end of the paid time since then.'),
    previousRenewalPrice: Type.Integer({ ...Price, description: 'The renewal price before.' }),
    renewalPrice: Type.Integer({ ...Price, description: 'The renewal price since then.' }),
    consent: EventConsent,
    periodIndex: count('The period of the charge, from 0.'),
    attempt: count('The attempt to charge the period, from 1.'),
    outcome: AttemptOutcome,
    idempotencyKey: Type.String({ description: 'The key of the charge at the payment gateway.' }),
    refund: Type.Union([Type.Literal('due'), Type.Literal('acknowledged')], {
      description:
        'due: the charge was paid after it was settled as declined, and has to be refunded. acknowledged: it was.',
    }),
    allApps: Type.Literal(true, { description: 'The change covers all apps of the store.' }),
    role: text(1, sizes.keyName, 'The role that the session or link gives.'),
    signedInBy: Type.Union([Type.Literal('key'), Type.Literal('link')]),
    clockTime: instant('The time that the clock of the app is moved to.'),
    mode: ClockMode,
    rate: Type.Number({ description: 'Ms of the app for each ms of real time.' }),
    faults: count('The faults of the list.'),
    expiresIn: count('The remaining lifetime of the newest token, in seconds.'),
    file: Type.Literal('csv'),
    filters: text(
      1,
      listLengthMax,
      'The parameters of the file or the rehearsal, as in a URL; a buyerId, and an id that may be one, is masked.',
      'from=2026-03-01&to=2026-03-31',
    ),
    apps: count('How many apps were exported, if they are too many to name.', 1_200),
    packageNames: text(1, listLengthMax, 'The exported apps, comma-separated.', 'com.example.game'),
    imported: text(1, listLengthMax, 'The imported lines of each kind.', 'app 1, product 3, purchase 120'),
    leftOut: count('The lines that were left out.', 3),
    sha256: Type.String({
      description: 'The SHA-256 of the imported file, hexadecimal; of several files, after the name of each.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  }),
  { description: 'What was changed: the fields that apply to the operation. It never contains a secret.' },
);
export type ActionDetail = Static<typeof ActionDetail>;

export const Action = Type.Object(
  {
    packageName: Type.Optional(PackageName),
    order: Type.Integer({
      minimum: 1,
      description:
        'The position among the actions of the app, or among those without an app: 1, 2, 3 and so on.',
    }),
    time: Timestamp,
    operationId: ActionOperation,
    madeBy: ActionAuthor,
    clientAddress: Type.Optional(Type.String({ description: 'The IP address of the client.' })),
    requestId: Type.Optional(
      Type.String({ description: 'The x-request-id of the call; absent for a command.' }),
    ),
    subject: Type.Optional(ActionSubject),
    detail: Type.Optional(ActionDetail),
    ...reasonFields,
    isImported: Type.Optional(
      Type.Literal(true, { description: 'The action was imported: its fields are those of the file.' }),
    ),
  },
  {
    $id: 'Action',
    description: 'An operator call or a command that changed something, or that took data out of the store.',
  },
);
export type Action = Static<typeof Action>;
