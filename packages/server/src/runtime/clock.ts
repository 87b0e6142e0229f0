// The one place that reads the machine's clock. Everything else is handed an instant.

/** Tells the present instant in milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
