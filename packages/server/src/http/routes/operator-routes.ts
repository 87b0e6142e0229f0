// The routes of the operator API.

import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import type { OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import type { OperatorHandler } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { LogCall } from '../../runtime/call-lines.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { writeSessionCookie } from '../console/session-cookie.ts';
import { nameOperation, reportCall } from '../listener/observation.ts';
import type { SandboxCalls } from '../sandbox/sandbox-request.ts';
import { CsvResponses } from './csv-response.ts';
import { performer, registerByBody, sendErrors, sendResponse } from './operation-calls.ts';
import {
  authenticateOperators,
  keyRejection,
  type OperatorCalls,
  type RejectKey,
} from './operator-authentication.ts';

export interface OperatorRoutes extends OperatorCalls {
  /** undefined in production. */
  readonly testing: SandboxCalls | undefined;
  readonly handlers: readonly OperatorHandler[];
  readonly openCsv: OpenCsv;
  readonly metrics: Metrics;
  readonly logCall: LogCall;
}

const form = 'operator';

export async function registerOperatorRoutes(server: FastifyInstance, routes: OperatorRoutes): Promise<void> {
  sendErrors(server, form, routes.log);
  await server.register(fastifyCookie);
  const rejectKey = keyRejection(routes);
  const authenticate = authenticateOperators(routes, rejectKey);
  const csv = new CsvResponses({ ...routes, reportCall: reportCall(routes) });
  await registerByBody(server, routes.handlers, (scope, handler) =>
    registerRoute(scope, handler, {
      ...routes,
      rejectKey,
      csv,
      authenticate: authenticate(handler.operation),
    }),
  );
}

interface Route extends OperatorRoutes {
  readonly authenticate: onRequestAsyncHookHandler;
  readonly rejectKey: RejectKey;
  readonly csv: CsvResponses;
}

function registerRoute(server: FastifyInstance, handler: OperatorHandler, route: Route): void {
  const { operation } = handler;
  const { clock, testing, log, authenticate, rejectKey, csv, sessionCookie } = route;
  const perform = performer(operation, { form, clock, testing, actionLog: log });
  const { readEntries } = handler;
  const listing = readEntries && { operation, readEntries };
  server.route({
    method: operation.method,
    url: operation.path,
    schema: { response: { ...operation.responses } },
    onRequest: [nameOperation(operation.operationId), authenticate],
    handler: async (request, reply) => {
      const { realNow, response } = await perform(
        request,
        reply,
        () => (listing && csv.handlerOf(request, reply, listing)) ?? handler.handle,
      );
      if ('status' in response) {
        if (response.session !== undefined)
          writeSessionCookie(reply, { cookie: sessionCookie, now: realNow }, response.session);
        if (response.file !== undefined) return csv.send(reply, response.file);
      }
      if (response instanceof Refusal && response.error === 'unauthorized')
        return rejectKey(request, reply, response.detail);
      return sendResponse(reply, form, response);
    },
  });
}
