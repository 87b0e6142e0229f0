// The limit of OPENTILL_RATE_LIMIT: calls a second for each app, counted by each server for itself.

import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';

const windowMs = 1_000;

/** Applies to the routes that are registered in this scope afterwards; undefined: no limit. */
export async function limitCalls(
  server: FastifyInstance,
  callsPerSecondMax: number | undefined,
): Promise<void> {
  if (callsPerSecondMax === undefined) return;
  await server.register(rateLimit, {
    max: callsPerSecondMax,
    timeWindow: windowMs,
    // After the token has told whose call it is.
    hook: 'preHandler',
    keyGenerator: (request) => request.packageName ?? request.ip,
  });
}
