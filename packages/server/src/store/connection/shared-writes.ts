// Writes that share a statement with the writes around them. A locked row delays only the writes that need it
// (docs/decisions/scaling.md).

import { coalesced } from './coalesced.ts';
import type { Database } from './database.ts';
import { LockNotAvailable } from './database-failure.ts';

/** At most two statements at a time: the writes that arrive in the meantime make the next one larger. */
const sharedLimits = { batchMax: 100, inFlightMax: 2 } as const;

/** How long a statement waits for a lock, in ms: a shared one delays other requests by that. */
export const lockTimeouts = { sharedMs: 250, aloneMs: 1_000 } as const;

interface WriteRequest {
  readonly packageName: string;
}

interface Writing<Request extends WriteRequest, Outcome> {
  /** One statement, never retried. An outcome of undefined: nothing was written, the request has to run alone. */
  readonly together: (requests: readonly Request[]) => Promise<readonly (Outcome | undefined)[]>;
  /** Waits for the locks that it needs. */
  readonly alone: (request: Request) => Promise<Outcome>;
}

/**
 * A function that writes for one request, sharing a statement where it can. On a cluster, only requests of the same app
 * share a statement.
 * @throws DatabaseUnavailable; unless it is a LockNotAvailable, the request may have been written.
 */
export function sharedWrites<Request extends WriteRequest, Outcome>(
  database: Database,
  { together, alone }: Writing<Request, Outcome>,
): (request: Request) => Promise<Outcome> {
  /** Apps whose counter row may be locked for long: they stay out of shared statements until they succeed alone. */
  const lockedApps = new Set<string>();
  const limits = { ...sharedLimits, packageNameOf: ({ packageName }: Request) => packageName };
  const share = coalesced(database, limits, async (requests) => {
    try {
      return await together(requests);
    } catch (error) {
      if (!(error instanceof LockNotAvailable)) throw error;
      // Nothing was written, and PostgreSQL does not report whose row was locked.
      for (const { packageName } of requests) lockedApps.add(packageName);
      return requests.map(() => undefined);
    }
  });
  return async (request) => {
    const shared = lockedApps.has(request.packageName) ? undefined : await share(request);
    if (shared !== undefined) return shared;
    const outcome = await alone(request);
    lockedApps.delete(request.packageName);
    return outcome;
  };
}
