// Bounds how long a caller waits for an answer, for many callers at the cost of one timer.

/** One caller's wait: it ends when it is answered, or when its time is over. */
export class AnswerWait {
  readonly endsAt: number;
  /** undefined once the wait has ended, so that what it holds on to can go at once. */
  #onExpiry: (() => void) | undefined;

  constructor(endsAt: number, onExpiry: () => void) {
    this.endsAt = endsAt;
    this.#onExpiry = onExpiry;
  }

  get isOver(): boolean {
    return this.#onExpiry === undefined;
  }

  answered(): void {
    this.#onExpiry = undefined;
  }

  expire(): void {
    const onExpiry = this.#onExpiry;
    this.#onExpiry = undefined;
    onExpiry?.();
  }
}

/** Ended waits at the front are dropped from memory in blocks of this many. */
const droppedTogether = 256;

/**
 * A function that begins a wait: unless it is answered within `limitMs`, `onExpiry` is called. All waits are
 * equally long, so that they end in the order in which they began: one timer, for the oldest, is enough.
 */
export function answerDeadline(limitMs: number): (onExpiry: () => void) => AnswerWait {
  const waits: AnswerWait[] = [];
  let oldest = 0;
  let isTimerSet = false;

  const passOver = (): AnswerWait | undefined => {
    while (waits[oldest]?.isOver) oldest += 1;
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
    let wait = passOver();
    while (wait !== undefined && wait.endsAt <= now) {
      wait.expire();
      wait = passOver();
    }
    if (wait !== undefined) setTimer(Math.max(1, Math.ceil(wait.endsAt - now)));
  };

  return (onExpiry) => {
    passOver();
    const wait = new AnswerWait(performance.now() + limitMs, onExpiry);
    waits.push(wait);
    if (!isTimerSet) setTimer(limitMs);
    return wait;
  };
}
