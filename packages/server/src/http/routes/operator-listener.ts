// The operator listener: the operator API, the console, the documentation, metrics and health.

import helmet from '@fastify/helmet';
import { operatorOperations } from '@opentill/contract/operations.ts';
import type { OperatorOperation } from '@opentill/contract/operator-api/operator-operation.ts';
import type { FastifyError, FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import {
  alertedOutcomes,
  allowedMethods,
  retryAfterSeconds,
  sendThrown,
  sendUnrouted,
} from '../error-response.ts';
import { createListener, type ListenerOptions } from '../listener/listener.ts';
import { nameOperation } from '../listener/observation.ts';
import { type ConsoleRoutes, registerConsole } from '../pages/console-routes.ts';
import { registerDocumentation } from '../pages/documentation.ts';
import { type OperatorRoutes, registerOperatorRoutes } from './operator-routes.ts';

interface OperatorListenerOptions
  extends Omit<ListenerOptions, 'errorForm' | 'sendUnrouted'>,
    OperatorRoutes,
    ConsoleRoutes {
  /** False during a shutdown, and while the database cannot be reached. */
  readonly isReady: () => Promise<boolean>;
}

export async function createOperatorListener(options: OperatorListenerOptions): Promise<FastifyInstance> {
  const operations = options.handlers.map(({ operation }) => operation);
  const ofSandbox =
    options.environment === 'sandbox'
      ? []
      : (operatorOperations as readonly OperatorOperation[]).filter(
          ({ sandboxOnly }) => sandboxOnly === true,
        );
  const operationIds = operations.map(({ operationId }) => operationId);
  options.metrics.expectCalls(operationIds, alertedOutcomes('operator'));
  const server = createListener({
    ...options,
    errorForm: () => 'operator',
    sendUnrouted(request, reply) {
      const [path = ''] = request.url.split('?', 1);
      const methods = allowedMethods(operations, path, { allowsShort: false });
      const isOfSandbox = allowedMethods(ofSandbox, path, { allowsShort: false }).length > 0;
      return sendUnrouted(reply, 'operator', {
        methods,
        detail: isOfSandbox ? 'Only a sandbox has this operation, and this server is production.' : undefined,
      });
    },
  });
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    sendThrown(reply, 'operator', { error, log: options.log }),
  );
  // Other hosts of the store's domain may have no certificate.
  await server.register(helmet, { strictTransportSecurity: { includeSubDomains: false } });
  registerMonitoring(server, options);
  const audience = options.environment === 'sandbox' ? 'sandboxOperator' : 'productionOperator';
  await server.register((scope) => registerDocumentation(scope, { ...options, audience }));
  await server.register((scope) => registerOperatorRoutes(scope, options));
  await server.register((scope) => registerConsole(scope, options));
  return server;
}

/** For monitoring, without a key: nothing here is confidential. */
function registerMonitoring(
  server: FastifyInstance,
  { metrics, isReady }: Pick<OperatorListenerOptions, 'metrics' | 'isReady'>,
): void {
  server.get('/health/live', { onRequest: nameOperation('healthLive') }, (_request, reply) =>
    reply.send({ status: 'live' }),
  );
  server.get('/health/ready', { onRequest: nameOperation('healthReady') }, async (_request, reply) => {
    if (await isReady()) return { status: 'ready' };
    return reply.code(503).header('retry-after', String(retryAfterSeconds)).send({ status: 'not ready' });
  });
  server.get('/metrics', { onRequest: nameOperation('metrics') }, async (_request, reply) => {
    reply.header('content-type', Registry.PROMETHEUS_CONTENT_TYPE);
    return metrics.registry.metrics();
  });
}
