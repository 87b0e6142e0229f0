// What the routes of the operator API and the developer API have in common: their bodies, their errors, and how a call becomes
// that of a handler.

import { errors } from '@opentill/contract/errors.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import { actionRecorder, noAction } from '../../operations/audit/action-recorder.ts';
import type { DeveloperHandler } from '../../operations/developer-handler.ts';
import type { OperatorCall, OperatorResponse } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Log } from '../../runtime/log.ts';
import { logAction, type RecordedAction } from '../../store/audit/actions.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { sendRejected } from '../call-decoding.ts';
import { type ErrorForm, jsonContentType, sendError, sendThrown } from '../error-response.ts';
import { disconnectSignal } from '../listener/client.ts';
import { discardBodies, parseJsonBodies, UnreadableBody } from '../request-body.ts';
import { appNowOf, type SandboxCalls } from '../sandbox/sandbox-request.ts';

/** Any operation of the two APIs. */
type Operation = DeveloperHandler['operation'];

/** Two scopes, because content type parsers belong to a scope: operations without a body discard it. */
export async function registerByBody<Handler extends { readonly operation: Operation }>(
  server: FastifyInstance,
  handlers: readonly Handler[],
  register: (scope: FastifyInstance, handler: Handler) => void,
): Promise<void> {
  for (const takesBody of [true, false]) {
    await server.register(async (scope) => {
      if (takesBody) parseJsonBodies(scope);
      else discardBodies(scope);
      for (const handler of handlers) {
        if ((handler.operation.body !== undefined) === takesBody) register(scope, handler);
      }
    });
  }
}

export function sendErrors(server: FastifyInstance, form: ErrorForm, log: Log): void {
  server.setErrorHandler((error: FastifyError | UnreadableBody, request, reply) => {
    if (error instanceof UnreadableBody) return sendUnreadable(reply, form, error);
    if (error.statusCode !== errors.unsupportedMediaType.status)
      return sendThrown(reply, form, { error, log });
    const received = request.headers['content-type'];
    const detail = `Content-Type: expected application/json, got ${received === undefined ? 'none' : quoteValue(received)}.`;
    return sendError(reply, form, 'unsupportedMediaType', { detail });
  });
}

function sendUnreadable(
  reply: FastifyReply,
  form: ErrorForm,
  { error, message }: UnreadableBody,
): FastifyReply {
  if (error === 'unsupportedMediaType') return sendError(reply, form, error, { detail: `${message}.` });
  return sendRejected(reply, form, { rejected: 'values', errors: [{ path: '', message }] });
}

interface Calls {
  readonly clock: StoreClock;
  /** undefined in production. */
  readonly testing: SandboxCalls | undefined;
  /** Where the actions of calls are logged; undefined: calls are no actions. */
  readonly actionLog: Log | undefined;
}

/** Gives a call whose caller and values are known to `handle`, and logs its action. */
export type Perform = <Response>(
  request: FastifyRequest,
  reply: FastifyReply,
  handle: (call: OperatorCall) => Promise<Response | Refusal>,
) => Promise<Response | Refusal>;

export function performer(operation: Operation, { clock, testing, actionLog }: Calls): Perform {
  return async (request, reply, handle) => {
    const realNow = clock.expected();
    const sent = request.params as OperatorCall['path'];
    request.call.packageName ??= sent['packageName'] ?? null;
    const { packageName, madeBy, clientAddress, role, session, clientSecret } = request.call;
    const path = packageName === null ? sent : { ...sent, packageName };
    const body = request.body as OperatorCall['body'];
    const author = { madeBy, requestId: request.id, clientAddress };
    let action: RecordedAction | undefined;
    const recordAction = actionRecorder({ operation, path, body, author, time: realNow }, (recorded) => {
      action = recorded;
    });
    let response: Awaited<ReturnType<typeof handle>> | undefined;
    try {
      response = await handle({
        path,
        query: request.query as OperatorCall['query'],
        body,
        now: testing === undefined ? realNow : await appNowOf(request, testing),
        ...{ realNow, author, role, session, clientSecret: clientSecret?.secret },
        recordAction: actionLog === undefined ? noAction : recordAction,
        ...(operation.isLongPoll === true && { signal: disconnectSignal(request, reply) }),
      });
      return response;
    } finally {
      // Also after an error: if the response to the commit was lost, the change may have been made.
      if (actionLog !== undefined && action !== undefined && !(response instanceof Refusal))
        logAction(actionLog, action);
    }
  };
}

export function sendResponse(reply: FastifyReply, form: ErrorForm, response: OperatorResponse): FastifyReply {
  if (response instanceof Refusal) return sendError(reply, form, response.error, response);
  reply.code(response.status);
  if (response.status === 204) return reply.send();
  return reply.header('content-type', jsonContentType).send(response.body);
}
