// The routes of the developer API: operations of the operator API for the app of the access token.

import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../domain/identifiers.ts';
import type { OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import type { DeveloperHandler } from '../../operations/developer-handler.ts';
import type { LogCall } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { type AppCalls, authenticateApp } from '../authentication.ts';
import { decodeCall } from '../call-decoding.ts';
import { nameOperation, reportCall } from '../listener/observation.ts';
import { extendResponseTime } from '../listener/steps.ts';
import { rejectEndedToken } from '../sandbox/sandbox-request.ts';
import { rateClientSecret, requireClientSecret, type SecretCalls } from './client-secret.ts';
import { fileSenders } from './csv-response.ts';
import { performer, registerByBody, sendErrors, sendResponse } from './operation-calls.ts';

interface DeveloperRoutes extends AppCalls, SecretCalls {
  readonly environment: Environment;
  readonly handlers: readonly DeveloperHandler[];
  readonly openCsv: OpenCsv;
  readonly metrics: Metrics;
  readonly logCall: LogCall;
}

const form = 'developer';

/** The sandbox asks for the token alone, and keeps no action of its tests. */
export async function registerDeveloperRoutes(
  server: FastifyInstance,
  routes: DeveloperRoutes,
): Promise<void> {
  const { environment, handlers, authentication, testing, clock, log } = routes;
  const isProduction = environment === 'production';
  sendErrors(server, form, log);
  const authenticate = [
    authenticateApp(form, authentication),
    ...(testing === undefined ? [] : [rejectEndedToken(form, testing)]),
  ];
  const rateSecret = rateClientSecret(routes.tokens);
  const requireSecret = requireClientSecret(routes);
  const calls = { clock, testing, actionLog: isProduction ? log : undefined };
  const sendFile = fileSenders(form, { ...routes, reportCall: reportCall(routes) });
  await registerByBody(server, handlers, (scope, { operation, handle, readEntries }) => {
    const needsSecret = isProduction && operation.needsClientSecret === true;
    const perform = performer(operation, calls);
    scope.route({
      method: operation.method,
      url: operation.path,
      schema: { response: { ...operation.responses } },
      onRequest: [
        nameOperation(operation.operationId),
        ...authenticate,
        ...(needsSecret ? [rateSecret] : []),
      ],
      // After the rate limit of the app.
      preHandler: [
        ...(needsSecret ? [requireSecret] : []),
        extendResponseTime(form, operation),
        decodeCall(form, operation),
        ...(readEntries === undefined ? [] : [sendFile({ listing: { operation, readEntries }, perform })]),
      ],
      handler: async (request, reply) => sendResponse(reply, form, await perform(request, reply, handle)),
    });
  });
}
