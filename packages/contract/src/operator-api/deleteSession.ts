// Ends a session of the console.

import Type from 'typebox';
import { SessionId } from '../sessions.ts';
import type { OperatorOperation } from './operator-operation.ts';

/** In place of a sessionId: the session of the call. */
export const currentSession = 'current';

export const deleteSession = {
  operationId: 'deleteSession',
  method: 'DELETE',
  path: '/operator/v1/sessions/:sessionId',
  summary: 'End a session of the console',
  description:
    'The id `current` means the session of the call. Ending the session of another author needs the role admin. Ending a session that does not exist changes nothing.',
  roles: ['support', 'admin'],
  pathParameters: {
    sessionId: Type.Union([SessionId, Type.Literal(currentSession)], { examples: [currentSession] }),
  },
  responses: { 204: Type.Null() },
  errors: ['forbidden', 'notFound'],
} as const satisfies OperatorOperation;
