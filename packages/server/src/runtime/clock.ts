// The one place that reads the machine's clock. Everything else gets the time as an argument.

/** Returns the current time in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
