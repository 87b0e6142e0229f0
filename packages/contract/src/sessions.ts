// Sessions of the console (docs/decisions/console.md).

import Type, { type Static } from 'typebox';
import { Environment, PriceUnit, Timestamp, text } from './fields.ts';
import { patternText } from './patterns.ts';

/** The longest author is that of an operator key. */
const madeByMax = 80;

/** Sessions of one response, those seen last: more than the operators of a store have open. */
export const sessionsShownMax = 1_000;

/** The roles of people; `record` is for the checkout. */
export const ConsoleRole = Type.Union([Type.Literal('support'), Type.Literal('admin')]);
export type ConsoleRole = Static<typeof ConsoleRole>;

/** SHA-256 in base64url. */
export const SessionId = patternText('^[A-Za-z0-9_-]+$', 'characters of A-Z a-z 0-9 _ -', {
  minLength: 43,
  maxLength: 43,
  description: 'The id of a session. It is not a secret.',
});

export const Session = Type.Object(
  {
    sessionId: Type.Optional(SessionId),
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
    description:
      'Who makes a call. For a call with an operator key there is no sessionId, createdAt and endsAt.',
  },
);
export type Session = Static<typeof Session>;

const OpenSession = Type.Object({
  sessionId: SessionId,
  madeBy: text(1, madeByMax, 'Who signed in: operator:<key name>.'),
  role: ConsoleRole,
  createdAt: Timestamp,
  lastSeenAt: Type.Integer({ ...Timestamp, description: 'The last call, to the minute.' }),
  endsAt: Timestamp,
  current: Type.Boolean({ description: 'Whether it is the session of this call.' }),
});

export const Sessions = Type.Object(
  {
    sessions: Type.Array(OpenSession, {
      maxItems: sessionsShownMax,
      description: `Those seen last come first, at most ${sessionsShownMax}.`,
    }),
  },
  { $id: 'Sessions', description: 'The open sessions of the console, in real time.' },
);
export type Sessions = Static<typeof Sessions>;
