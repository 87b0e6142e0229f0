// The routes of the purchase API but the token endpoint: what all of these calls have in common, in the order
// of docs/decisions/errors-and-status-codes.md: Authorization, Content-Type, package, values, then the operation itself.

import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { PackageName } from '../domain/identifiers.ts';
import { shownValue } from '../domain/shown-value.ts';
import type { PurchaseHandler } from '../operations/purchase-api/purchase-handler.ts';
import { Refusal } from '../operations/refusal.ts';
import type { Authenticated, Authentication } from './authentication.ts';
import { type CallTesting, meetFault, observeForTesting } from './call-testing.ts';
import { isJson } from './content-types.ts';
import { jsonContentType, sendFailure } from './failure-response.ts';
import { hasBody, readPast } from './request-body.ts';
import { appNowOf, isTokenEndedEarly, type SandboxCalls } from './sandbox-request.ts';

export interface PurchaseRoutes extends SandboxCalls {
  readonly handlers: readonly PurchaseHandler[];
  readonly authentication: Authentication;
  /** undefined in production. */
  readonly testing: CallTesting | undefined;
  readonly requiresContentType: boolean;
}

type PathValues = Readonly<Record<string, string | undefined>>;

export async function registerPurchaseRoutes(server: FastifyInstance, routes: PurchaseRoutes): Promise<void> {
  letBodiesGo(server);
  const { testing } = routes;
  if (testing !== undefined) observeForTesting(server, testing, routes);
  for (const handler of routes.handlers) {
    for (const url of pathsOf(handler.operation)) {
      server.route({
        method: handler.operation.method,
        url,
        schema: { response: { 200: handler.operation.response } },
        onRequest: [
          identify(handler.operation, routes),
          ...(testing === undefined ? [] : [meetFault(testing, routes)]),
          requireJson(routes),
        ],
        preHandler: readPastBody,
        handler: answer(handler, routes),
      });
    }
  }
}

/** The whole path, and that path with parameters missing at its end: a known operation with too few values. */
function pathsOf({ path, pathParameters }: PurchaseOperation): string[] {
  const segments = path.split('/');
  const missing = Array.from({ length: Object.keys(pathParameters).length + 1 }, (_, count) => count);
  return missing.map((count) => segments.slice(0, segments.length - count).join('/'));
}

/** Tells the app of the token, or refuses the call. */
export function identify(
  operation: { readonly operationId: string },
  routes: Pick<PurchaseRoutes, 'authentication' | keyof SandboxCalls>,
): onRequestHookHandler {
  return (request, reply, done) => {
    request.operationId = operation.operationId;
    const settle = (caller: Authenticated): void => {
      if (caller === undefined) {
        sendFailure(reply, 'unauthorized');
        return;
      }
      request.packageName = caller.packageName;
      const isEnded = isTokenEndedEarly(request, caller, routes);
      if (isEnded === false) done();
      else isEnded.then((isSo) => (isSo ? sendFailure(reply, 'unauthorized') : done()), done);
    };
    const found = routes.authentication.check(request.headers.authorization, routes.clock.now());
    if (found instanceof Promise) found.then(settle).catch(done);
    else settle(found);
  };
}

function requireJson({ requiresContentType }: PurchaseRoutes): onRequestHookHandler {
  return (request, reply, done) => {
    const contentType = request.headers['content-type'];
    if (!requiresContentType || isJson(contentType)) {
      done();
      return;
    }
    const came = contentType === undefined ? 'none' : shownValue(contentType);
    sendFailure(reply, 'valueMissing', `Content-Type: expected application/json, got ${came}.`);
  };
}

/** The body limit of the server holds. */
export function letBodiesGo(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}

/** For methods whose bodies no content type parser reads. */
export function readPastBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.method === 'POST' || !hasBody(request.raw)) {
    done();
    return;
  }
  readPast(request.raw).then(
    (wasRead) => {
      if (wasRead) done();
      else sendFailure(reply, 'bodyTooLarge');
    },
    () => reply.raw.destroy(),
  );
}

function answer({ operation, handle }: PurchaseHandler, routes: PurchaseRoutes) {
  const expectedPath = operation.path.replaceAll(/:(\w+)/g, '{$1}');
  const valueNames = Object.keys(operation.pathParameters).filter((name) => name !== 'packageName');
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const path = request.params as PathValues;
    const refuseMissing = (name: string) =>
      sendFailure(reply, 'valueMissing', `${name}: expected a value in ${expectedPath}, got none.`);
    if (!path['packageName']) return refuseMissing('packageName');
    if (path['packageName'] !== request.packageName) {
      return sendFailure(reply, operation.foreignPackageFailure ?? 'nothingFound');
    }
    for (const name of valueNames) if (!path[name]) return refuseMissing(name);
    const now = appNowOf(request, routes);
    const outcome = await handle({
      packageName: request.packageName as PackageName,
      path: path as Record<string, string>,
      query: request.query as Record<string, string | string[] | undefined>,
      now: typeof now === 'number' ? now : await now,
      requestId: request.id,
    });
    if (outcome instanceof Refusal) return sendFailure(reply, outcome.failure, outcome.message);
    reply.header('content-type', jsonContentType);
    return outcome;
  };
}
