// The routes of the operator API.

import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import type { OperatorHandler } from '../../operations/operator-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { LogCall } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { decodeCall } from '../call-decoding.ts';
import { nameOperation, reportCall } from '../listener/observation.ts';
import { extendResponseTime } from '../listener/steps.ts';
import type { SandboxCalls } from '../sandbox/sandbox-request.ts';
import { fileSenders } from './csv-response.ts';
import { performer, registerByBody, sendErrors, sendResponse } from './operation-calls.ts';
import { authenticateOperators, keyRejection, type OperatorCalls } from './operator-authentication.ts';
import { writeSessionCookie } from './session-cookie.ts';

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
  const { clock, testing, log, sessionCookie } = routes;
  sendErrors(server, form, log);
  await server.register(fastifyCookie);
  const rejectKey = keyRejection(routes);
  const authenticate = authenticateOperators(routes, rejectKey);
  const sendFile = fileSenders(form, { ...routes, reportCall: reportCall(routes) });
  await registerByBody(server, routes.handlers, (scope, { operation, handle, readEntries }) => {
    const perform = performer(operation, { clock, testing, actionLog: log });
    // After the steps of every request (listener.ts), in this order; a step that responds is the last one.
    scope.route({
      method: operation.method,
      url: operation.path,
      schema: { response: { ...operation.responses } },
      onRequest: [nameOperation(operation.operationId), authenticate(operation)],
      preHandler: [
        extendResponseTime(form, operation),
        decodeCall(form, operation),
        ...(readEntries === undefined ? [] : [sendFile({ listing: { operation, readEntries }, perform })]),
      ],
      handler: async (request, reply) => {
        const response = await perform(request, reply, handle);
        if (response instanceof Refusal && response.error === 'unauthorized')
          return rejectKey(request, reply, response.detail);
        if ('session' in response && response.session !== undefined)
          writeSessionCookie(reply, { cookie: sessionCookie, now: clock.expected() }, response.session);
        return sendResponse(reply, form, response);
      },
    });
  });
}
