// What every call of either listener has: an id, headers against caching, one line in the log and one count.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemClock } from '../runtime/clock.ts';
import { callLogger, type Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The operationId, or `unknown` until a route has been found. */
    operationId: string;
    /** The package name of the app concerned, or null. */
    packageName: string | null;
    /** performance.now() when the call came in. */
    receivedAt: number;
  }
  interface FastifyReply {
    /** `success` or the error code: what is logged and counted. */
    outcome: string;
  }
}

const msPerSecond = 1_000;

export function observeCalls(
  server: FastifyInstance,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): void {
  const logCall = callLogger(log, systemClock.now);
  server.decorateRequest('operationId', 'unknown');
  server.decorateRequest('packageName', null);
  server.decorateRequest('receivedAt', 0);
  server.decorateReply('outcome', 'success');
  server.addHook('onRequest', (request, reply, done) => {
    request.receivedAt = performance.now();
    setCommonHeaders(request, reply);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const now = performance.now();
    const ms = now - request.receivedAt;
    metrics.observeCall(request.operationId, reply.outcome, ms / msPerSecond);
    if (request.packageName !== null) metrics.noteAppCall(now);
    logCall({
      requestId: request.id,
      operationId: request.operationId,
      app: request.packageName,
      outcome: reply.outcome,
      status: reply.statusCode,
      ms: Math.round(ms * msPerSecond) / msPerSecond,
    });
    done();
  });
}

/** Also for answers that are given before any hook runs. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
}
