// The routes of the events API: for the app of the access token, in both environments, with the errors of the purchase
// API (docs/decisions/events.md).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PackageName } from '../../domain/identifiers.ts';
import type { EventsHandler } from '../../operations/events-handler.ts';
import { callDecoder } from '../call-decoding.ts';
import { outcomeOf, sendRejected } from '../error-response.ts';
import { disconnectSignal } from '../listener/client.ts';
import { nameOperation } from '../listener/observation.ts';
import { extendResponseTime } from '../listener/response-time.ts';
import { discardBodies, drainBody } from '../request-body.ts';
import { type AppCalls, authenticateApp } from './app-authentication.ts';

export interface EventRoutes extends AppCalls {
  readonly eventsHandlers: readonly EventsHandler[];
}

export async function registerEventRoutes(server: FastifyInstance, routes: EventRoutes): Promise<void> {
  discardBodies(server);
  for (const handler of routes.eventsHandlers) {
    const { operation } = handler;
    server.route({
      method: operation.method,
      url: operation.path,
      schema: { response: { 200: operation.response } },
      onRequest: [nameOperation(operation.operationId), authenticateApp('purchase', routes), drainBody],
      handler: answer(handler),
    });
  }
}

function answer({ operation, handle }: EventsHandler) {
  const decode = callDecoder(operation);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const { url, query } = request;
    const call = decode({ path: {}, url, query, body: undefined, bodyText: '' });
    if ('rejected' in call) return sendRejected(reply, 'purchase', call);
    extendResponseTime(reply, 'purchase', operation);
    const outcome = await handle({
      packageName: request.call.packageName as PackageName,
      query: call.query,
      signal: disconnectSignal(request, reply),
    });
    return outcomeOf(reply, outcome);
  };
}
