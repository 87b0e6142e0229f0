// The routes of the operator API and the sandbox API, which differ only in their paths and in who may call them.

import fastifyCookie from '@fastify/cookie';
import { errors } from '@opentill/contract/errors.ts';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import { quoteValue } from '../../domain/quoted-value.ts';
import {
  actionRecorder,
  logAction,
  noAction,
  type RecordedAction,
} from '../../operations/audit/action-recorder.ts';
import type { OpenCsv } from '../../operations/csv-file.ts';
import type { OperatorAnswer, OperatorHandler, SandboxHandler } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { type AppCalls, authenticateApp } from '../authentication.ts';
import { callDecoder } from '../call-decoding.ts';
import { writeSessionCookie } from '../console/session-cookie.ts';
import { type ErrorForm, jsonContentType, sendError, sendRejected, sendThrown } from '../error-response.ts';
import { disconnectSignal } from '../listener/client.ts';
import { nameOperation, reportCall } from '../listener/observation.ts';
import { extendResponseTime } from '../listener/steps.ts';
import { discardBodies, parseJsonBodies, UnreadableBody } from '../request-body.ts';
import { appNowOf, type SandboxCalls } from '../sandbox/sandbox-request.ts';
import { CsvResponses } from './csv-response.ts';
import {
  authenticateOperators,
  keyRejection,
  type OperatorCalls,
  type RejectKey,
} from './operator-authentication.ts';

type Handler = OperatorHandler | SandboxHandler;

export interface OperatorRoutes extends SandboxCalls, OperatorCalls {
  readonly handlers: readonly OperatorHandler[];
  readonly openCsv: OpenCsv;
  readonly metrics: Metrics;
}

interface SandboxRoutes extends AppCalls {
  readonly handlers: readonly SandboxHandler[];
  readonly log: Log;
}

export async function registerOperatorRoutes(server: FastifyInstance, routes: OperatorRoutes): Promise<void> {
  sendErrors(server, 'operator', routes.log);
  await server.register(fastifyCookie);
  const rejectKey = keyRejection(routes);
  const authenticate = authenticateOperators(routes, rejectKey);
  const csv = new CsvResponses({ ...routes, reportCall: reportCall(routes) });
  await registerByBody(server, routes.handlers, (scope, handler) =>
    registerRoute(scope, handler, {
      form: 'operator',
      calls: routes,
      authenticate: authenticate(handler.operation),
      operator: { ...routes, rejectKey, csv },
    }),
  );
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

/** The package of each call is that of the access token's app. */
export async function registerSandboxRoutes(server: FastifyInstance, routes: SandboxRoutes): Promise<void> {
  sendErrors(server, 'sandbox', routes.log);
  const authenticate = authenticateApp('sandbox', routes);
  await registerByBody(server, routes.handlers, (scope, handler) =>
    registerRoute(scope, handler, { form: 'sandbox', calls: routes, authenticate }),
  );
}

function sendErrors(server: FastifyInstance, form: ErrorForm, log: Log): void {
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

interface Route {
  readonly form: ErrorForm;
  readonly calls: SandboxCalls;
  readonly authenticate: onRequestHookHandler | onRequestAsyncHookHandler;
  /** undefined for calls with an app's own token, which are in the request log instead of the audit trail. */
  readonly operator?: Pick<OperatorRoutes, 'sessionCookie' | 'log'> & {
    readonly rejectKey: RejectKey;
    readonly csv: CsvResponses;
  };
}

function registerRoute(
  server: FastifyInstance,
  handler: Handler,
  { form, calls, authenticate, operator }: Route,
): void {
  const { operation } = handler;
  const decode = callDecoder(operation);
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: { ...operation.responses } },
    onRequest: [nameOperation(operation.operationId), authenticate],
    handler: async (request, reply) => {
      extendResponseTime(reply, form, operation);
      const { url, query, body } = request;
      const path = request.params as Record<string, string>;
      const ownPath =
        request.call.packageName === null ? path : { ...path, packageName: request.call.packageName };
      const call = decode({ path, url, query, body, bodyText: request.call.bodyText });
      if ('rejected' in call) return sendRejected(reply, form, call);
      request.call.packageName ??= path['packageName'] ?? null;
      const realNow = calls.clock.expected();
      const { madeBy, clientAddress } = request.call;
      const author = { madeBy, requestId: request.id, clientAddress };
      let action: RecordedAction | undefined;
      const recordAction = actionRecorder(
        { operation, path, body: call.body, author, time: realNow },
        (recorded) => {
          action = recorded;
        },
      );
      const handleCsv = operator?.csv.handlerOf(request, reply, handler);
      let answer: OperatorAnswer | undefined;
      try {
        answer = await (handleCsv ?? handler.handle)({
          ...call,
          path: ownPath,
          now: await appNowOf(request, calls),
          realNow,
          author,
          role: request.call.role,
          session: request.call.session,
          recordAction: operator === undefined ? noAction : recordAction,
          ...(operation.isLongPoll === true && { signal: disconnectSignal(request, reply) }),
        });
      } finally {
        // Also after an error: if the response to the commit was lost, the change may have been made.
        const isUndone = answer instanceof Refusal;
        if (operator !== undefined && action !== undefined && !isUndone) logAction(operator.log, action);
      }
      if (operator === undefined) return sendAnswer(reply, form, answer);
      if (!(answer instanceof Refusal)) {
        writeSessionCookie(reply, { cookie: operator.sessionCookie, now: realNow }, answer.session);
        if (answer.file !== undefined) return operator.csv.send(reply, answer.file);
      } else if (answer.error === 'unauthorized') return operator.rejectKey(request, reply, answer.detail);
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
