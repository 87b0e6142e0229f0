// Sets the remaining lifetime of the newest access token of a sandbox app, so that a test need not wait until it
// expires.

import Type, { type Static } from 'typebox';
import { PackageName, Timestamp } from '../fields.ts';
import type { OperatorOperation } from './operator-operation.ts';

/** Longest remaining lifetime in seconds: a day, longer than any token is valid. */
const expiresInMax = 86_400;

const expiresIn = Type.Integer({
  minimum: 0,
  maximum: expiresInMax,
  description: 'The remaining lifetime of the newest token in seconds of real time; 0 ends it now.',
});

export const TokenLife = Type.Object(
  {
    issuedAt: Type.Integer({ ...Timestamp, description: 'When the newest token was issued, in ms.' }),
    expiresIn,
    expiresAt: Type.Integer({
      ...Timestamp,
      description: 'The token is rejected from this instant on, in ms.',
    }),
    isRenewed: Type.Boolean({
      description: 'Whether the next getAccessToken issues a new token: fewer than 600 seconds are left.',
    }),
  },
  { $id: 'TokenLife', description: 'The lifetime of the newest access token, in real time.' },
);
export type TokenLife = Static<typeof TokenLife>;

export const putToken = {
  operationId: 'putToken',
  method: 'PUT',
  path: '/operator/v1/apps/:packageName/token',
  summary: 'Set the remaining lifetime of the newest access token of the app',
  description:
    'Earlier tokens of the app end at the same instant at the latest. Each call replaces the previous one. ' +
    'A value above the remaining lifetime of the newest token is rejected with 409.',
  roles: ['admin'],
  sandboxOnly: true,
  inDeveloperApi: 'sandbox',
  pathParameters: { packageName: PackageName },
  body: Type.Object({ expiresIn }, { additionalProperties: false }),
  responses: { 200: TokenLife },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType', 'notFound', 'conflict'],
} as const satisfies OperatorOperation;
