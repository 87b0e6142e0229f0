// The routes of the operator API and of the sandbox API: both answer with problem details and differ in who
// may call.

import type { OperatorOperation, Role } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import type { OperatorAnswer, OperatorHandler, SandboxHandler } from '../../operations/operator-handler.ts';
import { appAuthor } from '../../operations/purchase-handler.ts';
import type { Log } from '../../runtime/log.ts';
import type { Authenticated, Authentication } from '../authentication.ts';
import { callDecoder } from '../call-decoding.ts';
import { type ErrorForm, jsonContentType, sendError, sendUnauthorized } from '../error-response.ts';
import { callerLeft } from '../listener/caller-left.ts';
import type { OperatorIdentity } from '../operator-authentication.ts';
import { answerErrors, readBodies } from '../operator-bodies.ts';
import { appNowOf, isTokenEndedEarly, type SandboxCalls } from '../sandbox/sandbox-request.ts';

type Handler = OperatorHandler | SandboxHandler;

export interface OperatorRoutes extends SandboxCalls {
  readonly handlers: readonly OperatorHandler[];
  readonly findOperator: (authorization: string | undefined) => OperatorIdentity | undefined;
  readonly log: Log;
}

interface SandboxRoutes extends SandboxCalls {
  readonly handlers: readonly SandboxHandler[];
  readonly authentication: Authentication;
  readonly log: Log;
}

export async function registerOperatorRoutes(server: FastifyInstance, routes: OperatorRoutes): Promise<void> {
  answerErrors(server, 'operator', routes.log);
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

/** Operations that take a body read it, the others let it go: two scopes, since that is how bodies are read. */
async function registerByBody<Registered extends Handler>(
  server: FastifyInstance,
  handlers: readonly Registered[],
  register: (scope: FastifyInstance, handler: Registered) => void,
): Promise<void> {
  for (const takesBody of [true, false]) {
    await server.register(async (scope) => {
      readBodies(scope, takesBody);
      for (const handler of handlers) {
        if ((handler.operation.body !== undefined) === takesBody) register(scope, handler);
      }
    });
  }
}

function mayCall(operation: OperatorOperation, role: Role): boolean {
  return operation.roles.includes(role);
}

/** The package of each call is that of the access token's own app. */
export async function registerSandboxRoutes(server: FastifyInstance, routes: SandboxRoutes): Promise<void> {
  answerErrors(server, 'sandbox', routes.log);
  await registerByBody(server, routes.handlers, (scope, handler) => {
    registerRoute(scope, handler, 'sandbox', routes, (request, reply, done) => {
      const refuse = () => sendUnauthorized(reply, 'sandbox');
      const settle = (caller: Authenticated): void => {
        if (caller === undefined) {
          refuse();
          return;
        }
        request.call.packageName = caller.packageName;
        request.call.madeBy = appAuthor;
        const isEnded = isTokenEndedEarly(request, caller, routes);
        if (isEnded === false) done();
        else isEnded.then((isSo) => (isSo ? refuse() : done()), done);
      };
      const found = routes.authentication.check(request.headers.authorization, routes.clock.now());
      if (found instanceof Promise) found.then(settle).catch(done);
      else settle(found);
    });
  });
}

function registerRoute(
  server: FastifyInstance,
  handler: Handler,
  form: ErrorForm,
  calls: SandboxCalls,
  authorise: onRequestHookHandler,
): void {
  const { operation } = handler;
  const decode = callDecoder(operation);
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: { ...operation.responses } },
    onRequest: [
      (request, _reply, done) => {
        request.call.operationId = operation.operationId;
        done();
      },
      authorise,
    ],
    handler: async (request, reply) => {
      request.allowLongAnswer(reply, operation);
      const path = request.params as Record<string, string>;
      const ownPath =
        request.call.packageName === null ? path : { ...path, packageName: request.call.packageName };
      const call = decode({ path, query: request.query, body: request.body });
      if ('refused' in call) return refuseCall(reply, form, call);
      request.call.packageName ??= path['packageName'] ?? null;
      const answer = await handler.handle({
        ...call,
        path: ownPath,
        now: await appNowOf(request, calls),
        realNow: calls.clock.now(),
        author: { madeBy: request.call.madeBy, requestId: request.id },
        ...(operation.waits === true && { signal: callerLeft(request, reply) }),
      });
      return sendAnswer(reply, form, answer);
    },
  });
}

function refuseCall(
  reply: FastifyReply,
  form: ErrorForm,
  call: Extract<ReturnType<ReturnType<typeof callDecoder>>, { refused: string }>,
): FastifyReply {
  if (call.refused === 'path') return sendError(reply, form, 'notFound');
  const detail = call.errors.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ');
  return sendError(reply, form, 'invalidRequest', { detail: `${detail}.`, errors: call.errors });
}

function sendAnswer(reply: FastifyReply, form: ErrorForm, answer: OperatorAnswer): FastifyReply {
  if ('problem' in answer) {
    return sendError(reply, form, answer.problem, answer);
  }
  reply.code(answer.status);
  if (answer.status === 204) return reply.send();
  return reply.header('content-type', jsonContentType).send(answer.body);
}
