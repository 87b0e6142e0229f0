// The public listener: the purchase API under /v2, the events API and, in the sandbox environment, the sandbox API.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxHandler } from '../operations/operator-api/operator-handler.ts';
import { allowedMethods, methodsExpected } from './allowed-methods.ts';
import { type EventRoutes, registerEventRoutes } from './event-routes.ts';
import { failureOf, logFailure } from './failure-of.ts';
import { sendFailure, writtenFailure } from './failure-response.ts';
import { createListener, type ListenerOptions, refuseUnrouted } from './listener.ts';
import { registerSandboxRoutes } from './operator-routes.ts';
import { sendFailureAsProblem, sendUnroutedProblem } from './problem-response.ts';
import { type PurchaseRoutes, registerPurchaseRoutes } from './purchase-routes.ts';
import { type CallLimit, limitCalls } from './rate-limit.ts';
import { registerTokenRoute, type TokenRoute } from './token-route.ts';

interface PublicListenerOptions
  extends Omit<ListenerOptions, 'refuse' | 'writtenRefusal'>,
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
  const server = await createListener({
    ...options,
    refuse: (request, reply, failure, message) =>
      isOfSandboxApi(request)
        ? sendFailureAsProblem(reply, 'public', failure, message)
        : sendFailure(reply, failure, message),
    writtenRefusal: writtenFailure,
  });
  const purchaseOperations = [getAccessToken, ...options.handlers.map(({ operation }) => operation)];
  const eventsOperations = options.eventsHandlers.map(({ operation }) => operation);
  const sandboxOperations = options.sandboxHandlers.map(({ operation }) => operation);
  refuseUnrouted(server, (request, reply) => {
    if (isOfSandboxApi(request)) {
      const methods = allowedMethods(sandboxOperations, pathOf(request), { allowsShort: false });
      return sendUnroutedProblem(request, reply, { methods, audience: 'public' });
    }
    return sendUnrouted(request, reply, [
      ...allowedMethods(purchaseOperations, pathOf(request), { allowsShort: true }),
      ...allowedMethods(eventsOperations, pathOf(request), { allowsShort: false }),
    ]);
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOf(error);
    if (failure === 'internalError' || failure === 'unavailable') logFailure(options.log, error, request);
    return sendFailure(reply, failure);
  });
  await server.register((scope) => registerTokenRoute(scope, options));
  await server.register(async (limited) => {
    // One limit for all: an app has as many calls as it is told, whichever it makes.
    await limitCalls(limited, options);
    await limited.register((scope) => registerPurchaseRoutes(scope, options));
    await limited.register((scope) => registerEventRoutes(scope, options));
    await limited.register((scope) =>
      registerSandboxRoutes(scope, { ...options, handlers: options.sandboxHandlers }),
    );
  });
  return server;
}

/** What every path of the sandbox API begins with. */
const sandboxPath = '/sandbox/v1/';

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

function sendUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): FastifyReply {
  if (methods.length === 0) return sendFailure(reply, 'unknownPath');
  reply.header('allow', methods.join(', '));
  return sendFailure(reply, 'methodNotAllowed', methodsExpected(request, methods));
}
