// Clock, waiting and chance: the only place that asks the runtime for them. Tests hand in their own.

/** What passes of time, and what chance decides. */
export interface Timing {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many ms; rejects with the reason of the signal when that is given before. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
}

export const realTiming: Timing = {
  now: () => Date.now(),
  async wait(ms, signal) {
    let callOff = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      callOff = alarm(ms, resolve);
    });
    try {
      await within(waited, signal);
    } finally {
      callOff();
    }
  },
  random: () => Math.random(),
};

/** Calls `onLate` after so many ms, unless what it gives is called before. */
export function alarm(ms: number, onLate: () => void): () => void {
  const timer = setTimeout(onLate, ms);
  return () => clearTimeout(timer);
}

/** The outcome of `work`, or the reason of the signal if that is given first; the work itself goes on. */
export function within<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
