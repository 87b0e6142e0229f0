// The public listener: the purchase API under /v2, the events API and, in the sandbox environment, the sandbox API and the
// reference for developers.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxHandler } from '../../operations/operator-handler.ts';
import {
  alertedOutcomes,
  allowedMethods,
  type ErrorFormOf,
  sendThrown,
  sendUnrouted,
} from '../error-response.ts';
import { createListener, type ListenerOptions } from '../listener/listener.ts';
import { type CallLimit, limitCalls } from '../listener/steps.ts';
import { logUnroutedCalls } from '../sandbox/call-log.ts';
import { registerDocumentation } from './documentation.ts';
import { registerSandboxRoutes } from './operator-routes.ts';
import {
  type EventRoutes,
  type PurchaseRoutes,
  registerEventRoutes,
  registerPurchaseRoutes,
} from './purchase-routes.ts';
import { registerTokenRoute, type TokenRoute } from './token-route.ts';

interface PublicListenerOptions
  extends Omit<ListenerOptions, 'errorForm' | 'sendUnrouted' | 'hosts'>,
    PurchaseRoutes,
    EventRoutes,
    TokenRoute,
    CallLimit {
  /** Empty in production: the paths of the sandbox API do not exist there. */
  readonly sandboxHandlers: readonly SandboxHandler[];
}

export async function createPublicListener(options: PublicListenerOptions): Promise<FastifyInstance> {
  const isOfSandboxApi = (request: FastifyRequest): boolean =>
    options.sandboxHandlers.length > 0 && `${pathOf(request)}/`.startsWith(sandboxPath);
  const errorForm: ErrorFormOf = (request) =>
    request !== undefined && isOfSandboxApi(request) ? 'sandbox' : 'purchase';
  const purchaseOperations = [getAccessToken, ...options.handlers.map(({ operation }) => operation)];
  const eventsOperations = options.eventsHandlers.map(({ operation }) => operation);
  const sandboxOperations = options.sandboxHandlers.map(({ operation }) => operation);
  const { metrics } = options;
  metrics.expectCalls(idsOf([...purchaseOperations, ...eventsOperations]), alertedOutcomes('purchase'));
  metrics.expectCalls(idsOf(sandboxOperations), alertedOutcomes('sandbox'));
  const server = createListener({
    ...options,
    errorForm,
    sendUnrouted(request, reply) {
      if (isOfSandboxApi(request)) {
        const methods = allowedMethods(sandboxOperations, pathOf(request), { allowsShort: false });
        return sendUnrouted(reply, 'sandbox', { methods });
      }
      const methods = [
        ...allowedMethods(purchaseOperations, pathOf(request), { allowsShort: true }),
        ...allowedMethods(eventsOperations, pathOf(request), { allowsShort: false }),
      ];
      return sendUnrouted(reply, 'purchase', { methods });
    },
  });
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    sendThrown(reply, 'purchase', { error, log: options.log }),
  );
  const { testing } = options;
  if (testing !== undefined) {
    const isLogged = (request: FastifyRequest) => !isOfSandboxApi(request);
    logUnroutedCalls(server, { logging: testing.logging, calls: options, isLogged });
  }
  if (options.sandboxHandlers.length > 0) {
    await server.register((scope) => registerDocumentation(scope, 'developer'));
  }
  await server.register((scope) => registerTokenRoute(scope, options));
  await server.register(async (limited) => {
    // The limit applies to all calls of an app together.
    limitCalls(limited, { ...options, errorForm });
    await limited.register((scope) => registerPurchaseRoutes(scope, options));
    await limited.register((scope) => registerEventRoutes(scope, options));
    await limited.register((scope) =>
      registerSandboxRoutes(scope, { ...options, handlers: options.sandboxHandlers }),
    );
  });
  return server;
}

const idsOf = (operations: readonly { readonly operationId: string }[]): string[] =>
  operations.map(({ operationId }) => operationId);

/** The prefix of every path of the sandbox API. */
const sandboxPath = '/sandbox/v1/';

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
