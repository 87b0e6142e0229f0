// The one way to let time pass. Whatever polls or backs off waits through here, so that it can be
// called off.

import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after `ms` milliseconds; rejects with the signal's reason when that is given before. */
export async function pause(ms: number, options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
  try {
    await wait(ms, undefined, options.signal === undefined ? {} : { signal: options.signal });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}
