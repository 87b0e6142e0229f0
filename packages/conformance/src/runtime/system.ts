// The machine: what time it is, and how to let some of it pass. Nothing else of this package asks for either.

import { setTimeout as wait } from 'node:timers/promises';

export interface Machine {
  /** The present instant in milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when that is given before. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const system: Machine = {
  now: () => Date.now(),
  pause: async (ms, signal) => {
    await wait(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  },
};
