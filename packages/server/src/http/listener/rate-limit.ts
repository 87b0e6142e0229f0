// The limit of OPENTILL_RATE_LIMIT: calls per second and app, counted by each server on its own.

import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { clientAddress } from './client.ts';

const windowMs = 1_000;

/** The most recent apps: about 200 bytes each. */
const countedAppsMax = 10_000;

export interface CallLimit {
  /** undefined: no limit. */
  readonly callsPerSecondMax: number | undefined;
  readonly clock: StoreClock;
}

/** Applies to routes that are registered afterwards, in this scope and those inside it. */
export async function limitCalls(
  server: FastifyInstance,
  { callsPerSecondMax, clock }: CallLimit,
): Promise<void> {
  if (callsPerSecondMax === undefined) return;
  await server.register(rateLimit, {
    max: callsPerSecondMax,
    timeWindow: windowMs,
    // After authentication, which identifies the app.
    hook: 'preHandler',
    keyGenerator: (request) => request.call.packageName ?? clientAddress(request),
    store: callCounts(clock),
  });
}

/**
 * The plugin's own store returns the record that it goes on changing: calls that are authenticated at the same instant
 * all read the count of the last one, so that all of them are rejected.
 */
function callCounts(clock: StoreClock) {
  return class implements FastifyRateLimitStore {
    readonly #windows = new FixedWindows({ windowMs, keysMax: countedAppsMax });

    incr(app: string, done: (error: Error | null, result: { current: number; ttl: number }) => void): void {
      const { count, restMs } = this.#windows.count(app, clock.now());
      done(null, { current: count, ttl: restMs });
    }

    child(): this {
      return this;
    }
  };
}
