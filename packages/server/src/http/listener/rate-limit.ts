// The limit of OPENTILL_RATE_LIMIT: calls a second for each app, counted by each server for itself.

import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../runtime/clock.ts';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import { callerAddress } from './caller-address.ts';

const windowMs = 1_000;

/** Apps that are counted at once, the most recent ones: about 200 bytes each. */
const countedAppsMax = 10_000;

export interface CallLimit {
  /** undefined: no limit. */
  readonly callsPerSecondMax: number | undefined;
  readonly clock: Clock;
}

/** Applies to the routes that are registered in this scope, and in scopes within it, afterwards. */
export async function limitCalls(
  server: FastifyInstance,
  { callsPerSecondMax, clock }: CallLimit,
): Promise<void> {
  if (callsPerSecondMax === undefined) return;
  await server.register(rateLimit, {
    max: callsPerSecondMax,
    timeWindow: windowMs,
    // After the token has told whose call it is.
    hook: 'preHandler',
    keyGenerator: (request) => request.call.packageName ?? callerAddress(request),
    store: callCounts(clock),
  });
}

/**
 * The plugin's own store hands out the record that it goes on changing: of calls whose tokens are settled at one
 * instant each then reads the count of the last, and all of them are refused.
 */
function callCounts(clock: Clock) {
  return class implements FastifyRateLimitStore {
    readonly #windows = new FixedWindows({ windowMs, keysMax: countedAppsMax });

    incr(app: string, tell: (error: Error | null, result: { current: number; ttl: number }) => void): void {
      const { count, restMs } = this.#windows.count(app, clock.now());
      tell(null, { current: count, ttl: restMs });
    }

    child(): this {
      return this;
    }
  };
}
