// The authentication hook of the operator API: keys, their roles, and a limit on guessing
// (docs/decisions/operator-keys.md).

import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Clock } from '../../runtime/clock.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import type { OperatorIdentity } from '../authentication.ts';
import { sendError, sendUnauthorized } from '../error-response.ts';

export interface OperatorCalls {
  readonly findOperator: (authorization: string | undefined) => OperatorIdentity | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Wrong keys per address that get 401 within a window; the next ones get 429. */
const wrongKeysMax = 10;
const wrongKeysWindowMs = 60_000;

/** The most recent addresses: about 200 bytes each. */
const countedAddressesMax = 10_000;

/** A hook for each operation that sets the author of the call, or sends 401, 403 or 429. */
export function authenticateOperators(
  calls: OperatorCalls,
  recordForbidden: (operation: OperatorOperation, request: FastifyRequest) => Promise<void>,
): (operation: OperatorOperation) => onRequestHookHandler {
  const wrongKeys = new FixedWindows({ windowMs: wrongKeysWindowMs, keysMax: countedAddressesMax });
  const rejectKey = (request: FastifyRequest, reply: FastifyReply): void => {
    calls.metrics.countWrongOperatorKey();
    const { operationId, clientAddress: address } = request.call;
    calls.log.warn({ requestId: request.id, operationId, address }, 'wrong operator key');
    const { count, restMs } = wrongKeys.count(address, calls.clock.now());
    if (count <= wrongKeysMax) sendUnauthorized(reply, 'operator');
    else sendError(reply, 'operator', 'tooManyRequests', { retryAfterSeconds: Math.ceil(restMs / 1_000) });
  };
  return (operation) => (request, reply, done) => {
    const { authorization } = request.headers;
    const operator = calls.findOperator(authorization);
    if (operator === undefined) {
      if (authorization === undefined) sendUnauthorized(reply, 'operator');
      else rejectKey(request, reply);
      return;
    }
    request.call.madeBy = `operator:${operator.name}`;
    request.call.role = operator.role;
    if (operation.roles.includes(operator.role)) {
      done();
      return;
    }
    const detail = `Expected a key with the role ${operation.roles.join(' or ')}, got ${operator.name}, which has the role ${operator.role}.`;
    recordForbidden(operation, request).then(
      () => sendError(reply, 'operator', 'forbidden', { detail }),
      done,
    );
  };
}
