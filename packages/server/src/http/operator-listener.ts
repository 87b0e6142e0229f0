// The operator listener: the operator API, the reading page of all APIs, metrics and health.

import helmet from '@fastify/helmet';
import type { FastifyError, FastifyInstance } from 'fastify';
import { allowedMethods } from './allowed-methods.ts';
import { registerDocumentation } from './documentation.ts';
import { failureOf, logFailure } from './failure-of.ts';
import { createListener, type ListenerOptions, refuseUnrouted } from './listener.ts';
import { type OperationPages, registerOperationPages } from './operation-pages.ts';
import { type OperatorRoutes, registerOperatorRoutes } from './operator-routes.ts';
import { sendFailureAsProblem, sendUnroutedProblem, writtenProblem } from './problem-response.ts';

type OperatorListenerOptions = Omit<ListenerOptions, 'refuse' | 'writtenRefusal'> &
  OperatorRoutes &
  OperationPages;

export async function createOperatorListener(options: OperatorListenerOptions): Promise<FastifyInstance> {
  const server = await createListener({
    ...options,
    refuse: (_request, reply, failure, message) => sendFailureAsProblem(reply, 'operator', failure, message),
    writtenRefusal: writtenProblem,
  });
  const operations = options.handlers.map(({ operation }) => operation);
  refuseUnrouted(server, (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const methods = allowedMethods(operations, path, { allowsShort: false });
    return sendUnroutedProblem(request, reply, { methods, audience: 'operator' });
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOf(error);
    if (failure === 'internalError' || failure === 'unavailable') logFailure(options.log, error, request);
    return sendFailureAsProblem(reply, 'operator', failure);
  });
  await server.register(helmet);
  registerOperationPages(server, options);
  await server.register(registerDocumentation);
  await server.register((scope) => registerOperatorRoutes(scope, options));
  return server;
}
