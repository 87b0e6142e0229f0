// The authentication of the operator API: keys and sessions, and their roles (docs/decisions/access.md,
// docs/decisions/console.md).

import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ConsoleSeals } from '../../operations/console/console-seals.ts';
import { authorOf, type OperatorKeys } from '../../operations/console/operator-keys.ts';
import type { SessionIdentity } from '../../operations/operator-handler.ts';
import type { Log } from '../../runtime/log.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { scheme } from '../authentication.ts';
import { sendError, sendUnauthorized } from '../error-response.ts';
import {
  readSessionCookie,
  rejectForeign,
  type SessionCookie,
  writeSessionCookie,
} from './session-cookie.ts';

export interface OperatorCalls {
  readonly operatorKeys: OperatorKeys;
  readonly seals: ConsoleSeals;
  readonly sessionCookie: SessionCookie;
  readonly clock: StoreClock;
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

/** A hook for each operation that sets the author of the call, or responds with 401, 403 or 415. */
export function authenticateOperators(
  calls: OperatorCalls,
  rejectKey: RejectKey,
): (operation: OperatorOperation) => onRequestAsyncHookHandler {
  const { operatorKeys, seals, sessionCookie, clock } = calls;

  const findByKey = (authorization: string): Caller | undefined => {
    if (!authorization.startsWith(scheme)) return undefined;
    const key = operatorKeys.find(authorization.slice(scheme.length));
    return key && { madeBy: authorOf(key), role: key.role, session: undefined };
  };
  const findBySession = (
    request: FastifyRequest,
    reply: FastifyReply,
    { isLongPoll }: OperatorOperation,
  ): Caller | undefined => {
    const secret = readSessionCookie(request, sessionCookie);
    const now = clock.now();
    const found = secret === undefined ? undefined : seals.findSession(secret, now);
    if (found === undefined) return undefined;
    const { session, isStale } = found;
    // The response to a call that waits may come after the one that signs out.
    if (isStale && isLongPoll !== true) {
      const renewed = { secret: seals.sealSession(session, now), endsAt: session.endsAt };
      writeSessionCookie(reply, { cookie: sessionCookie, now }, renewed);
    }
    return { madeBy: session.madeBy, role: session.role, session };
  };
  return (operation) => async (request, reply) => {
    const { authorization } = request.headers;
    const isByPage = () =>
      operation.signsIn === true || readSessionCookie(request, sessionCookie) !== undefined;
    if (authorization === undefined && isByPage() && rejectForeign(request, reply, sessionCookie))
      return reply;
    if (operation.signsIn === true) return;
    const caller =
      authorization === undefined ? findBySession(request, reply, operation) : findByKey(authorization);
    if (caller === undefined) {
      return authorization === undefined ? sendUnauthorized(reply, 'operator') : rejectKey(request, reply);
    }
    Object.assign(request.call, caller);
    const needsKey = operation.keyOnly === true && caller.session !== undefined;
    if (operation.roles.includes(caller.role) && !needsKey) return;
    const detail = needsKey
      ? 'Expected an operator key, got a session.'
      : `Expected a key with the role ${operation.roles.join(' or ')}, got ${caller.madeBy.replace('operator:', '')}, which has the role ${caller.role}.`;
    return sendError(reply, 'operator', 'forbidden', { detail });
  };
}
