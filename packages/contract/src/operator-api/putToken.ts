// Sets the remaining lifetime of an app's newest access token in the sandbox, so that a test sees within a second what
// happens when a token expires.

import Type, { type Static } from 'typebox';
import { PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

/** Longest rest of life that can be asked for, in seconds: a day, more than any token lives for. */
const expiresInMax = 86_400;

const expiresIn = Type.Integer({
  minimum: 0,
  maximum: expiresInMax,
  description: 'Seconds of real time that the newest token has left; 0 ends it now.',
});

export const TokenLife = Type.Object(
  {
    issuedAt: Type.Integer({ ...Timestamp, description: 'When the newest token was issued, ms.' }),
    expiresIn,
    expiresAt: Type.Integer({ ...Timestamp, description: 'From this instant on it is refused, ms.' }),
    isRenewed: Type.Boolean({
      description: 'Whether the next getAccessToken issues a new token: fewer than 600 seconds are left.',
    }),
  },
  { $id: 'TokenLife', description: 'The life of the newest access token. Token times are real time.' },
);
export type TokenLife = Static<typeof TokenLife>;

export const putToken = {
  operationId: 'putToken',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/token',
  summary: 'Set how many seconds the newest access token of the app has left',
  description:
    'Earlier tokens of the app end at the same instant at the latest. Each call replaces the one before. ' +
    'A value above the remaining lifetime of the newest token is rejected with 409.',
  roles: ['admin'],
  sandboxOnly: true,
  inSandboxApi: true,
  pathParameters: { packageName: PackageName },
  body: Type.Object({ expiresIn }, { additionalProperties: false }),
  responses: { 200: TokenLife },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
