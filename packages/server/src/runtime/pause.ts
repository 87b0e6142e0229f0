// The timers of the server: every poll and backoff waits here and can be aborted, every time limit can be lifted, and the
// exit of the parent process is noticed.

import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after `ms` milliseconds; rejects with the signal's reason if it is aborted first. */
export async function pause(ms: number, options: { signal?: AbortSignal | undefined } = {}): Promise<void> {
  try {
    await wait(ms, undefined, options.signal === undefined ? {} : { signal: options.signal });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Calls `onExpiry` after `ms` milliseconds, unless the returned function is called first. Does not keep the process
 * running.
 */
export function limitTime(ms: number, onExpiry: () => void): () => void {
  const timer = setTimeout(onExpiry, ms).unref();
  return () => clearTimeout(timer);
}

/** How often the parent is polled, in ms. */
const pollEveryMs = 500;

export function currentParent(): number {
  return process.ppid;
}

/** Calls `onGone` once when that parent has exited. */
export function watchParent(parent: number, onGone: () => void): void {
  const polling = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(polling);
    onGone();
  }, pollEveryMs).unref();
}
