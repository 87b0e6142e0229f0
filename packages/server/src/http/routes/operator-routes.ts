// The routes of the operator API and the sandbox API, which differ only in their paths and in who may call them.

import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyError, FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import type { OperatorAnswer, OperatorHandler, SandboxHandler } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Log } from '../../runtime/log.ts';
import type { OperatorIdentity } from '../authentication.ts';
import { callDecoder } from '../call-decoding.ts';
import {
  type ErrorForm,
  jsonContentType,
  sendError,
  sendRejected,
  sendThrown,
  sendUnauthorized,
} from '../error-response.ts';
import { disconnectSignal } from '../listener/client.ts';
import { nameOperation } from '../listener/observation.ts';
import { discardBodies, parseJsonBodies } from '../request-body.ts';
import { appNowOf, type SandboxCalls } from '../sandbox/sandbox-request.ts';
import { type AppCalls, authenticateApp } from './app-authentication.ts';

type Handler = OperatorHandler | SandboxHandler;

export interface OperatorRoutes extends SandboxCalls {
  readonly handlers: readonly OperatorHandler[];
  readonly findOperator: (authorization: string | undefined) => OperatorIdentity | undefined;
  readonly log: Log;
}

interface SandboxRoutes extends AppCalls {
  readonly handlers: readonly SandboxHandler[];
  readonly log: Log;
}

export async function registerOperatorRoutes(server: FastifyInstance, routes: OperatorRoutes): Promise<void> {
  sendErrors(server, 'operator', routes.log);
  await registerByBody(server, routes.handlers, (scope, handler) => {
    const { operation } = handler;
    registerRoute(scope, handler, 'operator', routes, (request, reply, done) => {
      const operator = routes.findOperator(request.headers.authorization);
      if (operator === undefined) {
        sendUnauthorized(reply, 'operator');
      } else if (!mayCall(operation, operator.role)) {
        const detail = `Expected a key with the role ${operation.roles.join(' or ')}, got ${operator.name}, which has the role ${operator.role}.`;
        sendError(reply, 'operator', 'forbidden', { detail });
      } else {
        request.call.madeBy = `operator:${operator.name}`;
        done();
      }
    });
  });
}

/** Two scopes, because content type parsers belong to a scope: operations without a body discard it. */
async function registerByBody<Registered extends Handler>(
  server: FastifyInstance,
  handlers: readonly Registered[],
  register: (scope: FastifyInstance, handler: Registered) => void,
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

function mayCall(operation: OperatorOperation, role: Role): boolean {
  return operation.roles.includes(role);
}

/** The package of each call is that of the access token's app. */
export async function registerSandboxRoutes(server: FastifyInstance, routes: SandboxRoutes): Promise<void> {
  sendErrors(server, 'sandbox', routes.log);
  const authenticate = authenticateApp('sandbox', routes);
  await registerByBody(server, routes.handlers, (scope, handler) =>
    registerRoute(scope, handler, 'sandbox', routes, authenticate),
  );
}

function sendErrors(server: FastifyInstance, form: ErrorForm, log: Log): void {
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    switch (error.statusCode) {
      case 415:
        return sendError(reply, form, 'unsupportedMediaType', {
          detail: 'Content-Type: expected application/json.',
        });
      case 400: {
        const message = 'expected a JSON object in the body, got invalid JSON';
        return sendRejected(reply, form, { rejected: 'values', errors: [{ path: '', message }] });
      }
      default:
        return sendThrown(reply, form, { error, log });
    }
  });
}

function registerRoute(
  server: FastifyInstance,
  handler: Handler,
  form: ErrorForm,
  calls: SandboxCalls,
  authenticate: onRequestHookHandler,
): void {
  const { operation } = handler;
  const decode = callDecoder(operation);
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: { ...operation.responses } },
    onRequest: [nameOperation(operation.operationId), authenticate],
    handler: async (request, reply) => {
      request.extendDeadline(reply, operation);
      const path = request.params as Record<string, string>;
      const ownPath =
        request.call.packageName === null ? path : { ...path, packageName: request.call.packageName };
      const call = decode({ path, query: request.query, body: request.body });
      if ('rejected' in call) return sendRejected(reply, form, call);
      request.call.packageName ??= path['packageName'] ?? null;
      const answer = await handler.handle({
        ...call,
        path: ownPath,
        now: await appNowOf(request, calls),
        realNow: calls.clock.now(),
        author: { madeBy: request.call.madeBy, requestId: request.id },
        ...(operation.waits === true && { signal: disconnectSignal(request, reply) }),
      });
      return sendAnswer(reply, form, answer);
    },
  });
}

function sendAnswer(reply: FastifyReply, form: ErrorForm, answer: OperatorAnswer): FastifyReply {
  if (answer instanceof Refusal) return sendError(reply, form, answer.error, answer);
  reply.code(answer.status);
  if (answer.status === 204) return reply.send();
  return reply.header('content-type', jsonContentType).send(answer.body);
}
