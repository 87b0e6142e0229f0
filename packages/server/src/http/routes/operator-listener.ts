// The operator listener: the operator API, the reading page of all APIs, metrics and health.

import helmet from '@fastify/helmet';
import type { FastifyError, FastifyInstance } from 'fastify';
import { sendThrown, sendUnrouted } from '../error-response.ts';
import { createListener, type ListenerOptions, refuseUnrouted } from '../listener/listener.ts';
import { allowedMethods } from './allowed-methods.ts';
import { registerDocumentation } from './documentation.ts';
import { type OperationPages, registerOperationPages } from './operation-pages.ts';
import { type OperatorRoutes, registerOperatorRoutes } from './operator-routes.ts';

type OperatorListenerOptions = Omit<ListenerOptions, 'errorForm'> & OperatorRoutes & OperationPages;

export async function createOperatorListener(options: OperatorListenerOptions): Promise<FastifyInstance> {
  const server = await createListener({ ...options, errorForm: () => 'operator' });
  const operations = options.handlers.map(({ operation }) => operation);
  refuseUnrouted(server, (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const methods = allowedMethods(operations, path, { allowsShort: false });
    return sendUnrouted(reply, 'operator', methods);
  });
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    sendThrown(reply, 'operator', { error, log: options.log }),
  );
  await server.register(helmet);
  registerOperationPages(server, options);
  await server.register(registerDocumentation);
  await server.register((scope) => registerOperatorRoutes(scope, options));
  return server;
}
