// The routes of the purchase API but the token endpoint: what all of these calls have in common, in the order
// of docs/decisions/errors.md: Authorization, Content-Type, package, values, then the operation itself.

import type { PurchaseOperation } from '@opentill/contract/purchase-api/purchase-operation.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { PackageName } from '../../domain/identifiers.ts';
import { shownValue } from '../../domain/shown-value.ts';
import type { PurchaseHandler } from '../../operations/purchase-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Authenticated, Authentication } from '../authentication.ts';
import { isJson } from '../content-types.ts';
import { jsonContentType, sendError, sendRefusal, sendUnauthorized } from '../error-response.ts';
import { hasBody, readPast } from '../request-body.ts';
import { type CallTesting, meetFault, observeForTesting } from '../sandbox/call-testing.ts';
import { appNowOf, isTokenEndedEarly, type SandboxCalls } from '../sandbox/sandbox-request.ts';

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
          readPastBody,
        ],
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
    request.call.operationId = operation.operationId;
    const caller = routes.authentication.check(request.headers.authorization, routes.clock.now());
    if (caller instanceof Promise) caller.then((settled) => letIn(settled, request, reply, done)).catch(done);
    else letIn(caller, request, reply, done);
  };

  function letIn(
    caller: Authenticated,
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): void {
    if (caller === undefined) {
      sendUnauthorized(reply, 'purchase');
      return;
    }
    request.call.packageName = caller.packageName;
    const isEnded = isTokenEndedEarly(request, caller, routes);
    if (isEnded === false) done();
    else isEnded.then((isSo) => (isSo ? sendUnauthorized(reply, 'purchase') : done()), done);
  }
}

function requireJson({ requiresContentType }: PurchaseRoutes): onRequestHookHandler {
  return (request, reply, done) => {
    const contentType = request.headers['content-type'];
    if (!requiresContentType || isJson(contentType)) {
      done();
      return;
    }
    const came = contentType === undefined ? 'none' : shownValue(contentType);
    const detail = `Content-Type: expected application/json, got ${came}.`;
    sendError(reply, 'purchase', 'invalidRequest', { detail });
  };
}

/** The body limit of the server holds. */
export function letBodiesGo(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));
}

/** For methods whose bodies no content type parser reads; the last of what comes before the handler. */
export function readPastBody(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.method === 'POST' || !hasBody(request.raw)) {
    done();
    return;
  }
  readPast(request.raw).then(
    (wasRead) => {
      if (wasRead) done();
      else sendError(reply, 'purchase', 'payloadTooLarge');
    },
    () => reply.raw.destroy(),
  );
}

function answer({ operation, handle }: PurchaseHandler, routes: PurchaseRoutes) {
  const expectedPath = operation.path.replaceAll(/:(\w+)/g, '{$1}');
  const valueNames = Object.keys(operation.pathParameters).filter((name) => name !== 'packageName');
  const refuseMissing = (reply: FastifyReply, name: string) =>
    sendError(reply, 'purchase', 'invalidRequest', {
      detail: `${name}: expected a value in ${expectedPath}, got none.`,
    });
  const ask = (request: FastifyRequest, now: number) =>
    handle({
      packageName: request.call.packageName as PackageName,
      path: request.params as Record<string, string>,
      query: request.query as Record<string, string | string[] | undefined>,
      now,
      requestId: request.id,
    });
  // No async function: what one keeps for each call is a good part of all that a read allocates.
  return (request: FastifyRequest, reply: FastifyReply): Promise<unknown> | FastifyReply => {
    const path = request.params as PathValues;
    if (!path['packageName']) return refuseMissing(reply, 'packageName');
    if (path['packageName'] !== request.call.packageName) {
      return sendError(reply, 'purchase', operation.foreignPackageError ?? 'notFound');
    }
    for (const name of valueNames) if (!path[name]) return refuseMissing(reply, name);
    const now = appNowOf(request, routes);
    const outcome = typeof now === 'number' ? ask(request, now) : now.then((appNow) => ask(request, appNow));
    return outcome.then((told) => {
      if (told instanceof Refusal) return sendRefusal(reply, 'purchase', told);
      reply.header('content-type', jsonContentType);
      return told;
    });
  };
}
