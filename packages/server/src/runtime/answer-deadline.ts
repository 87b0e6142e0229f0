// Bounds how long a caller waits for work, for many callers at the cost of one timer.

/** The work was not done in time. It may still be under way: its outcome is unknown. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

interface Wait {
  readonly endsAt: number;
  isSettled: boolean;
  readonly reject: (error: DeadlineExceeded) => void;
}

/** Settled waits at the front are dropped from memory in blocks of this many. */
const droppedTogether = 1_024;

/**
 * A function that gives what `work` gives, or fails with DeadlineExceeded after `limitMs`. All waits are
 * equally long, so that they end in the order in which they began: one timer, for the oldest, is enough.
 */
export function answerDeadline(limitMs: number): <Result>(work: Promise<Result>) => Promise<Result> {
  const waits: Wait[] = [];
  let oldest = 0;
  let isTimerSet = false;

  const passSettled = (): Wait | undefined => {
    while (waits[oldest]?.isSettled) oldest += 1;
    if (oldest >= droppedTogether) {
      waits.splice(0, oldest);
      oldest = 0;
    }
    return waits[oldest];
  };
  const setTimer = (delayMs: number): void => {
    isTimerSet = true;
    setTimeout(expire, delayMs);
  };
  const expire = (): void => {
    isTimerSet = false;
    const now = performance.now();
    let wait = passSettled();
    while (wait !== undefined && wait.endsAt <= now) {
      wait.isSettled = true;
      wait.reject(new DeadlineExceeded(`Not done within ${limitMs} ms.`));
      wait = passSettled();
    }
    if (wait !== undefined) setTimer(Math.max(1, Math.ceil(wait.endsAt - now)));
  };

  return (work) =>
    new Promise((resolve, reject) => {
      passSettled();
      const wait: Wait = { endsAt: performance.now() + limitMs, isSettled: false, reject };
      waits.push(wait);
      if (!isTimerSet) setTimer(limitMs);
      work.then(
        (result) => {
          wait.isSettled = true;
          resolve(result);
        },
        (error: unknown) => {
          wait.isSettled = true;
          reject(error);
        },
      );
    });
}
