// Sessions of the console (docs/decisions/console.md).

import Type, { type Static } from 'typebox';
import { Environment, PriceUnit, Timestamp, text } from './fields.ts';

/** The longest author is that of an operator key. */
const madeByMax = 80;

/** The roles of people; `record` is for the checkout. */
export const ConsoleRole = Type.Union([Type.Literal('read'), Type.Literal('support'), Type.Literal('admin')]);
export type ConsoleRole = Static<typeof ConsoleRole>;

export const Session = Type.Object(
  {
    madeBy: text(1, madeByMax, 'The author that is stored with changes: operator:<key name>.'),
    role: ConsoleRole,
    createdAt: Type.Optional(Timestamp),
    endsAt: Type.Optional(
      Type.Integer({
        ...Timestamp,
        description:
          'The end of the session, in real time. In production it ends earlier after 30 idle minutes.',
      }),
    ),
    mayCall: Type.Array(Type.String(), {
      description: 'The operationIds that the role allows in this environment.',
    }),
    environment: Environment,
    version: Type.String({ description: 'The version of the server.' }),
    timeZone: Type.String({ description: 'The time zone of the store.' }),
    priceUnit: PriceUnit,
  },
  {
    $id: 'Session',
    description: 'Who makes a call. For a call with an operator key there is no createdAt and endsAt.',
  },
);
export type Session = Static<typeof Session>;
