// Signs in to the console with an operator key, or with the code of a one-time link.

import Type from 'typebox';
import { text } from '../fields.ts';
import { Session } from '../sessions.ts';
import type { OperatorOperation } from './operator-operation.ts';

/** Longer than any key or code. */
const secretMax = 1_024;

export const createSession = {
  operationId: 'createSession',
  method: 'POST',
  path: '/operator/v1/sessions',
  summary: 'Sign in to the console',
  description:
    'Takes exactly one of key and code. The response sets the cookie of the session, which authorizes calls by pages of this server.',
  roles: [],
  signsIn: true,
  pathParameters: {},
  body: Type.Object(
    {
      key: Type.Optional(text(1, secretMax, 'An operator key with the role read, support or admin.')),
      code: Type.Optional(text(1, secretMax, 'The code of a link by createConsoleLink; it is valid once.')),
    },
    { additionalProperties: false, examples: [{ code: 'the code of a link' }] },
  ),
  responses: { 201: Session },
  errors: ['forbidden', 'invalidRequest', 'unsupportedMediaType'],
} as const satisfies OperatorOperation;
