// The limit of OPENTILL_RATE_LIMIT: calls per second and app, counted by each server on its own.

import type { FastifyInstance } from 'fastify';
import { FixedWindows } from '../../runtime/fixed-windows.ts';
import type { StoreClock } from '../../store/clocks/store-clock.ts';
import { type ErrorFormOf, sendError } from '../error-response.ts';
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
export function limitCalls(
  server: FastifyInstance,
  { callsPerSecondMax, clock, errorForm }: CallLimit & { readonly errorForm: ErrorFormOf },
): void {
  if (callsPerSecondMax === undefined) return;
  const windows = new FixedWindows({ windowMs, keysMax: countedAppsMax });
  // After authentication, which identifies the app.
  server.addHook('preHandler', (request, reply, done) => {
    const key = request.call.packageName ?? clientAddress(request);
    if (windows.count(key, clock.now()).count <= callsPerSecondMax) done();
    else sendError(reply, errorForm(request), 'tooManyRequests');
  });
}
