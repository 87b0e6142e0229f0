// The audit trail: one action for each operator call that changed something or took a file, and for each import and export.

import Type, { type Static } from 'typebox';
import { describedNameOf, PackageName, sizes, Timestamp, text } from './fields.ts';

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
    detail: Type.Optional(Type.String({ description: 'What was changed. It never contains a secret.' })),
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
