// The one place that reads the machine's clock. Everything else gets the time as an argument.

/** Returns the current time in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** In ms since the start of the process, whatever happens to the machine's clock. */
export const monotonicClock: Clock = { now: () => performance.now() };
