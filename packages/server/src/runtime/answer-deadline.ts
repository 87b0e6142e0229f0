// Bounds how long a caller waits for an answer, for many callers at the cost of one timer.

/** One caller's wait. It ends when `isAnswered` is set, or when its time is over. */
export interface AnswerWait {
  isAnswered: boolean;
}

interface BoundedWait extends AnswerWait {
  readonly endsAt: number;
  readonly onExpiry: () => void;
}

/** Ended waits at the front are dropped from memory in blocks of this many. */
const droppedTogether = 1_024;

/**
 * A function that begins a wait: unless it is answered within `limitMs`, `onExpiry` is called. All waits are
 * equally long, so that they end in the order in which they began: one timer, for the oldest, is enough.
 */
export function answerDeadline(limitMs: number): (onExpiry: () => void) => AnswerWait {
  const waits: BoundedWait[] = [];
  let oldest = 0;
  let isTimerSet = false;

  const passAnswered = (): BoundedWait | undefined => {
    while (waits[oldest]?.isAnswered) oldest += 1;
    if (oldest >= droppedTogether) {
      waits.splice(0, oldest);
      oldest = 0;
    }
    return waits[oldest];
  };
  const setTimer = (delayMs: number): void => {
    isTimerSet = true;
    setTimeout(expire, delayMs).unref();
  };
  const expire = (): void => {
    isTimerSet = false;
    const now = performance.now();
    let wait = passAnswered();
    while (wait !== undefined && wait.endsAt <= now) {
      wait.isAnswered = true;
      wait.onExpiry();
      wait = passAnswered();
    }
    if (wait !== undefined) setTimer(Math.max(1, Math.ceil(wait.endsAt - now)));
  };

  return (onExpiry) => {
    passAnswered();
    const wait = { endsAt: performance.now() + limitMs, isAnswered: false, onExpiry };
    waits.push(wait);
    if (!isTimerSet) setTimer(limitMs);
    return wait;
  };
}
