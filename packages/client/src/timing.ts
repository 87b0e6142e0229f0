// The only place that uses the clock, timers and randomness of the runtime, which tests replace.

/** Clock, timers and randomness. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects with the reason of the signal if it is aborted before. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

export const realTiming: Timing = {
  now: () => Date.now(),
  async wait(ms, signal) {
    let clearAlarm = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      clearAlarm = alarm(ms, resolve);
    });
    try {
      await within(waited, signal);
    } finally {
      clearAlarm();
    }
  },
  random: () => Math.random(),
};

/** Calls `onLate` after `ms`; the returned function cancels that. */
export function alarm(ms: number, onLate: () => void): () => void {
  const timer = setTimeout(onLate, ms);
  return () => clearTimeout(timer);
}

/** Settles like `work`, or rejects with the reason of the signal if it is aborted before; the work continues. */
export function within<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
