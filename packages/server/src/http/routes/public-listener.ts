// The public listener: the purchase API under /v2, the events API and, where the store has opened it, the developer API with
// the reference for developers.

import { getAccessToken } from '@opentill/contract/purchase-api/getAccessToken.ts';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../domain/identifiers.ts';
import type { OpenCsv } from '../../operations/csv-writing/csv-file.ts';
import type { DeveloperHandler } from '../../operations/developer-handler.ts';
import {
  alertedOutcomes,
  allowedMethods,
  type ErrorFormOf,
  sendThrown,
  sendUnrouted,
} from '../error-response.ts';
import { createListener, type ListenerOptions } from '../listener/listener.ts';
import { nameOperation } from '../listener/observation.ts';
import { type CallLimit, limitCalls } from '../listener/steps.ts';
import type { BuiltFiles } from '../pages/built-files.ts';
import { registerDocumentation } from '../pages/documentation.ts';
import { logUnroutedCalls } from '../sandbox/call-log.ts';
import { registerDeveloperRoutes } from './developer-routes.ts';
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
  readonly environment: Environment;
  /** Empty: the paths of the developer API do not exist. */
  readonly developerHandlers: readonly DeveloperHandler[];
  readonly openCsv: OpenCsv;
  readonly files: BuiltFiles;
}

export async function createPublicListener(options: PublicListenerOptions): Promise<FastifyInstance> {
  const isOfDeveloperApi = (request: FastifyRequest): boolean =>
    options.developerHandlers.length > 0 && `${pathOf(request)}/`.startsWith(developerPath);
  const errorForm: ErrorFormOf = (request) =>
    request !== undefined && isOfDeveloperApi(request) ? 'developer' : 'purchase';
  const purchaseOperations = [getAccessToken, ...options.handlers.map(({ operation }) => operation)];
  const eventsOperations = options.eventsHandlers.map(({ operation }) => operation);
  const developerOperations = options.developerHandlers.map(({ operation }) => operation);
  const { metrics } = options;
  metrics.expectCalls(idsOf([...purchaseOperations, ...eventsOperations]), alertedOutcomes('purchase'));
  metrics.expectCalls(idsOf(developerOperations), alertedOutcomes('developer'));
  const server = createListener({
    ...options,
    errorForm,
    sendUnrouted(request, reply) {
      if (isOfDeveloperApi(request)) {
        const methods = allowedMethods(developerOperations, pathOf(request), { allowsShort: false });
        return sendUnrouted(reply, 'developer', { methods });
      }
      const methods = [
        ...allowedMethods(purchaseOperations, pathOf(request), { allowsShort: true }),
        ...allowedMethods(eventsOperations, pathOf(request), { allowsShort: false }),
      ];
      return sendUnrouted(reply, 'purchase', { methods, detail: otherVersion(pathOf(request)) });
    },
  });
  server.setErrorHandler((error: FastifyError, _request, reply) =>
    sendThrown(reply, 'purchase', { error, log: options.log }),
  );
  const { testing } = options;
  if (testing !== undefined) {
    const isLogged = (request: FastifyRequest) => !isOfDeveloperApi(request);
    logUnroutedCalls(server, testing.logging, isLogged);
  }
  if (options.developerHandlers.length > 0) {
    const audience = options.environment === 'sandbox' ? 'developer' : 'productionDeveloper';
    server.get('/', { onRequest: nameOperation('docs') }, (_request, reply) => reply.redirect('/docs'));
    await server.register((scope) => registerDocumentation(scope, { ...options, audience }));
  }
  await server.register((scope) => registerTokenRoute(scope, options));
  await server.register(async (limited) => {
    // The limit applies to all calls of an app together.
    limitCalls(limited, { ...options, errorForm });
    await limited.register((scope) => registerPurchaseRoutes(scope, options));
    await limited.register((scope) => registerEventRoutes(scope, options));
    await limited.register((scope) =>
      registerDeveloperRoutes(scope, { ...options, handlers: options.developerHandlers }),
    );
  });
  return server;
}

const idsOf = (operations: readonly { readonly operationId: string }[]): string[] =>
  operations.map(({ operationId }) => operationId);

/** The prefix of every path of the developer API. */
const developerPath = '/developer/v1/';

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

/** Clients of other stores call the version that those have. */
function otherVersion(path: string): string | undefined {
  return /^\/v(?!2\b)\d+(?:\/|$)/.test(path) ? 'This server has version /v2.' : undefined;
}
