// Health and metrics, for the machines that watch this one. No key is asked for: they tell no business.

import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../runtime/metrics.ts';
import { retryAfterSeconds } from '../error-response.ts';

export interface OperationPages {
  readonly metrics: Metrics;
  /** Whether this server can answer calls now: the database is there and no stop is under way. */
  readonly isReady: () => Promise<boolean>;
}

export function registerOperationPages(server: FastifyInstance, pages: OperationPages): void {
  server.get('/health/live', (request, reply) => {
    request.call.operationId = 'healthLive';
    return reply.send({ status: 'live' });
  });
  server.get('/health/ready', async (request, reply) => {
    request.call.operationId = 'healthReady';
    if (await pages.isReady()) return { status: 'ready' };
    return reply.code(503).header('retry-after', String(retryAfterSeconds)).send({ status: 'not ready' });
  });
  server.get('/metrics', async (request, reply) => {
    request.call.operationId = 'metrics';
    reply.header('content-type', pages.metrics.registry.contentType);
    return pages.metrics.registry.metrics();
  });
}
