// Gives every request of both listeners an id, headers against caching, a log line and a metric.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../runtime/log.ts';
import type { Metrics } from '../../runtime/metrics.ts';
import { CallState } from './call-state.ts';

const msPerSecond = 1_000;

export function observeCalls(
  server: FastifyInstance,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): void {
  server.decorateRequest('call', null as unknown as CallState);
  server.addHook('onRequest', (request, reply, done) => {
    beginCall(request, reply);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const now = performance.now();
    const { operationId, packageName: app, outcome, receivedAt } = request.call;
    const ms = now - receivedAt;
    metrics.observeCall(operationId, outcome, ms / msPerSecond);
    if (app !== null) metrics.noteAppCall(now);
    log.info({
      requestId: request.id,
      operationId,
      app,
      outcome,
      status: reply.statusCode,
      ms: Math.round(ms * msPerSecond) / msPerSecond,
    });
    done();
  });
}

/** Once for each call, also for one that is answered before any hook runs. */
export function beginCall(request: FastifyRequest, reply: FastifyReply): void {
  request.call = new CallState();
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
}
