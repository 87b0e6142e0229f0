// The authentication of the operator API: keys and sessions, and their roles (docs/decisions/access.md,
// docs/decisions/console.md).

import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { authorOf, type OperatorKeys } from '../../operations/console/operator-keys.ts';
import type { SessionDirectory, SessionIdentity } from '../../operations/console/session-directory.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { scheme } from '../authentication.ts';
import { readSessionCookie, rejectForeign, type SessionCookie } from '../console/session-cookie.ts';
import { sendError, sendUnauthorized } from '../error-response.ts';

export interface OperatorCalls {
  readonly operatorKeys: () => OperatorKeys;
  readonly sessions: SessionDirectory;
  readonly sessionCookie: SessionCookie;
  readonly clock: Clock;
  readonly onWrongKey: () => void;
  readonly log: Log;
}

/** Logs and counts a wrong key or code, and sends 401. */
export type RejectKey = (request: FastifyRequest, reply: FastifyReply, detail?: string) => FastifyReply;

export function keyRejection({ onWrongKey, log }: OperatorCalls): RejectKey {
  return (request, reply, detail) => {
    const { operationId, clientAddress: address } = request.call;
    onWrongKey();
    log.warn({ requestId: request.id, operationId, address }, 'wrong operator key');
    if (detail === undefined) return sendUnauthorized(reply, 'operator');
    return sendError(reply, 'operator', 'unauthorized', { detail });
  };
}

interface Caller {
  readonly madeBy: string;
  readonly role: Role;
  readonly session: SessionIdentity | undefined;
}

interface Rejections {
  readonly rejectKey: RejectKey;
  readonly recordForbidden: (operation: OperatorOperation, request: FastifyRequest) => Promise<void>;
}

/** A hook for each operation that sets the author of the call, or responds with 401, 403 or 415. */
export function authenticateOperators(
  calls: OperatorCalls,
  { rejectKey, recordForbidden }: Rejections,
): (operation: OperatorOperation) => onRequestAsyncHookHandler {
  const { operatorKeys, sessions, sessionCookie, clock } = calls;

  const findByKey = (authorization: string): Caller | undefined => {
    if (!authorization.startsWith(scheme)) return undefined;
    const key = operatorKeys().find(authorization.slice(scheme.length));
    return key && { madeBy: authorOf(key), role: key.role, session: undefined };
  };
  const findBySession = async (request: FastifyRequest): Promise<Caller | undefined> => {
    const secret = readSessionCookie(request, sessionCookie);
    const session = secret === undefined ? undefined : await sessions.find(secret, clock.now());
    return session && { madeBy: session.madeBy, role: session.role, session };
  };
  return (operation) => async (request, reply) => {
    const { authorization } = request.headers;
    const isByPage = readSessionCookie(request, sessionCookie) !== undefined || operation.signsIn === true;
    if (authorization === undefined && isByPage && rejectForeign(request, reply, sessionCookie)) return reply;
    if (operation.signsIn === true) return;
    const caller = authorization === undefined ? await findBySession(request) : findByKey(authorization);
    if (caller === undefined) {
      return authorization === undefined ? sendUnauthorized(reply, 'operator') : rejectKey(request, reply);
    }
    Object.assign(request.call, caller);
    const needsKey = operation.keyOnly === true && caller.session !== undefined;
    if (operation.roles.includes(caller.role) && !needsKey) return;
    await recordForbidden(operation, request);
    const detail = needsKey
      ? 'Expected an operator key, got a session.'
      : `Expected a key with the role ${operation.roles.join(' or ')}, got ${caller.madeBy.replace('operator:', '')}, which has the role ${caller.role}.`;
    return sendError(reply, 'operator', 'forbidden', { detail });
  };
}
