// The routes of the purchase API except the token endpoint, and those of the events API. The checks that purchase calls
// share run in the order of docs/decisions/errors.md: Authorization, Content-Type, package, values, then the operation.

import type { EventsOperation } from '@opentill/contract/events-api/events-operation.ts';
import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify';
import type { PackageName } from '../../domain/identifiers.ts';
import { quoteValue } from '../../domain/text/quoted-value.ts';
import type { AppCall, AppHandler, RespondToPurchaseCall } from '../../operations/app-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import { type AppCalls, authenticateApp } from '../authentication.ts';
import { decodeCall, undecodableParameter } from '../call-decoding.ts';
import { outcomeOf, renderError, sendError } from '../error-response.ts';
import { disconnectSignal } from '../listener/client.ts';
import { nameOperation } from '../listener/observation.ts';
import { extendResponseTime } from '../listener/steps.ts';
import { discardBodies, drainBody, isJson } from '../request-body.ts';
import { observeForTesting, sandboxSteps } from '../sandbox/call-testing.ts';
import { rejectEndedToken } from '../sandbox/sandbox-request.ts';
import { serializerOf } from '../serializers.ts';

export interface PurchaseRoutes extends AppCalls {
  readonly handlers: readonly AppHandler[];
  readonly requiresContentType: boolean;
}

type PathValues = Readonly<Record<string, string | undefined>>;

export async function registerPurchaseRoutes(server: FastifyInstance, routes: PurchaseRoutes): Promise<void> {
  discardBodies(server);
  const { testing, authentication } = routes;
  if (testing !== undefined) observeForTesting(server, testing);
  for (const { operation, handle } of routes.handlers) {
    for (const url of pathsOf(operation)) {
      // After the steps of every request (listener.ts), in this order; a step that responds is the last one.
      server.route({
        method: operation.method,
        url,
        schema: { response: { 200: operation.response } },
        onRequest: [
          nameOperation(operation.operationId),
          authenticateApp('purchase', authentication),
          ...(testing === undefined ? [] : sandboxSteps('purchase', testing)),
          requireJson(routes),
          drainBody,
        ],
        // After the limit of an app's calls (public-listener.ts).
        preHandler: [
          requireOwnPackage(operation),
          requirePathValues(operation),
          requireReadableQuery(operation),
        ],
        handler: async (request, reply) => outcomeOf(reply, await handle(appCall(request))),
      });
    }
  }
}

/** The complete path, and the same path with values missing at its end, which gets 9000 instead of 404. */
function pathsOf({ path, pathParameters }: PurchaseOperation): string[] {
  const segments = path.split('/');
  const missing = Array.from({ length: Object.keys(pathParameters).length + 1 }, (_, count) => count);
  return missing.map((count) => segments.slice(0, segments.length - count).join('/'));
}

function requireJson({ requiresContentType }: PurchaseRoutes): onRequestHookHandler {
  return (request, reply, done) => {
    const contentType = request.headers['content-type'];
    if (!requiresContentType || isJson(contentType)) {
      done();
      return;
    }
    const received = contentType === undefined ? 'none' : quoteValue(contentType);
    const detail = `Content-Type: expected application/json, got ${received}.`;
    sendError(reply, 'purchase', 'invalidRequest', { detail });
  };
}

function requireOwnPackage(operation: PurchaseOperation): preHandlerHookHandler {
  return ({ params, call }, reply, done) => {
    const { packageName } = params as PathValues;
    if (!packageName) sendMissing(reply, operation, 'packageName');
    else if (packageName !== call.packageName)
      sendError(reply, 'purchase', operation.foreignPackageError ?? 'notFound');
    else done();
  };
}

function requirePathValues(operation: PurchaseOperation): preHandlerHookHandler {
  const names = Object.keys(operation.pathParameters);
  return ({ params }, reply, done) => {
    const missing = names.find((name) => !(params as PathValues)[name]);
    if (missing === undefined) done();
    else sendMissing(reply, operation, missing);
  };
}

function sendMissing(reply: FastifyReply, { path }: PurchaseOperation, name: string): void {
  const detail = `${name}: expected a value in ${path.replaceAll(/:(\w+)/g, '{$1}')}, got none.`;
  sendError(reply, 'purchase', 'invalidRequest', { detail });
}

function requireReadableQuery({ query }: PurchaseOperation): preHandlerHookHandler {
  return ({ url }, reply, done) => {
    const undecodable = query && undecodableParameter(url);
    if (undecodable === undefined) {
      done();
      return;
    }
    const detail = `${undecodable.path}: ${undecodable.message}.`;
    sendError(reply, 'purchase', 'searchRuleViolated', { detail });
  };
}

function appCall({ call, params, query, id }: FastifyRequest): AppCall {
  return {
    packageName: call.packageName as PackageName,
    path: params as AppCall['path'],
    query: query as AppCall['query'],
    requestId: id,
  };
}

export interface EventRoutes extends AppCalls {
  readonly eventsHandlers: readonly AppHandler<EventsOperation>[];
}

/** For the app of the access token, in both environments, with the errors of the purchase API (docs/decisions/events.md). */
export async function registerEventRoutes(server: FastifyInstance, routes: EventRoutes): Promise<void> {
  discardBodies(server);
  const { testing, authentication } = routes;
  for (const { operation, handle } of routes.eventsHandlers) {
    server.route({
      method: operation.method,
      url: operation.path,
      schema: { response: { 200: operation.response } },
      onRequest: [
        nameOperation(operation.operationId),
        authenticateApp('purchase', authentication),
        ...(testing === undefined ? [] : [rejectEndedToken('purchase', testing)]),
        drainBody,
      ],
      preHandler: [decodeCall('purchase', operation), extendResponseTime('purchase', operation)],
      handler: async (request, reply) => {
        const signal = disconnectSignal(request, reply);
        return outcomeOf(reply, await handle({ ...appCall(request), signal }));
      },
    });
  }
}

/** Responds to calls of the purchase API as its routes do, but without a socket: no token, no faults and no log. */
export function purchaseResponses(handlers: readonly AppHandler[]): RespondToPurchaseCall {
  return async (operationId, call) => {
    const handler = handlers.find(({ operation }) => operation.operationId === operationId);
    if (handler === undefined) throw new Error(`The purchase API has no operation ${operationId}.`);
    const outcome = await handler.handle(call);
    if (outcome instanceof Refusal) {
      const { status, body } = renderError('purchase', outcome.error, outcome);
      return { httpStatus: status, body: JSON.parse(body) };
    }
    const serialize = serializerOf({ schema: handler.operation.response });
    return { httpStatus: 200, body: JSON.parse(serialize(outcome)) };
  };
}
