// The routes of the events API: for the app of the access token, in both environments, with the errors of the
// purchase API (docs/decisions/events.md).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PackageName } from '../../domain/identifiers.ts';
import type { EventsHandler } from '../../operations/events-handler.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { Authentication } from '../authentication.ts';
import { callDecoder } from '../call-decoding.ts';
import { jsonContentType, sendError, sendRefusal } from '../error-response.ts';
import { callerLeft } from '../listener/caller-left.ts';
import type { SandboxCalls } from '../sandbox/sandbox-request.ts';
import { identify, letBodiesGo, readPastBody } from './purchase-routes.ts';

export interface EventRoutes extends SandboxCalls {
  readonly eventsHandlers: readonly EventsHandler[];
  readonly authentication: Authentication;
}

export async function registerEventRoutes(server: FastifyInstance, routes: EventRoutes): Promise<void> {
  letBodiesGo(server);
  for (const handler of routes.eventsHandlers) {
    const { operation } = handler;
    server.route({
      method: operation.method,
      url: operation.path,
      schema: { response: { 200: operation.response } },
      onRequest: [identify(operation, routes), readPastBody],
      handler: answer(handler),
    });
  }
}

function answer({ operation, handle }: EventsHandler) {
  const decode = callDecoder(operation);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const call = decode({ path: {}, query: request.query, body: undefined });
    if ('refused' in call) {
      const errors = call.refused === 'values' ? call.errors : [];
      const message = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
      return sendError(reply, 'purchase', 'invalidRequest', { detail: `${message}.` });
    }
    request.allowLongAnswer(reply, operation);
    const outcome = await handle({
      packageName: request.call.packageName as PackageName,
      query: call.query,
      signal: callerLeft(request, reply),
    });
    if (outcome instanceof Refusal) return sendRefusal(reply, 'purchase', outcome);
    reply.header('content-type', jsonContentType);
    return outcome;
  };
}
