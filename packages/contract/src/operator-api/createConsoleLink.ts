// Makes a link that signs in to the console once, in the sandbox only.

import Type, { type Static } from 'typebox';
import { Timestamp } from '../fields.ts';
import { ConsoleRole } from '../sessions.ts';
import type { OperatorOperation } from './operator-operation.ts';

export const ConsoleLink = Type.Object(
  {
    path: Type.String({
      description:
        'The path of the link on the operator listener. Its fragment is the code, which is a secret.',
    }),
    endsAt: Type.Integer({ ...Timestamp, description: 'The end of the link, in real time, in ms.' }),
  },
  { $id: 'ConsoleLink' },
);
export type ConsoleLink = Static<typeof ConsoleLink>;

export const createConsoleLink = {
  operationId: 'createConsoleLink',
  method: 'POST',
  path: '/operator/v1/console-links',
  summary: 'Make a link that signs in to the console',
  description:
    'The link is valid once, for 10 minutes. Its session acts as the author of this call, which needs an operator key: a session gets 403.',
  roles: ['admin'],
  keyOnly: true,
  sandboxOnly: true,
  pathParameters: {},
  body: Type.Object({ role: ConsoleRole }, { additionalProperties: false }),
  responses: { 201: ConsoleLink },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType'],
} as const satisfies OperatorOperation;
