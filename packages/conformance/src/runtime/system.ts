// The clock and timers; nothing else in this package uses them.

import { setTimeout as wait } from 'node:timers/promises';

export interface Machine {
  /** The current time in ms since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const system: Machine = {
  now: () => Date.now(),
  pause: (ms, signal) => wait(ms, undefined, { signal }),
};
