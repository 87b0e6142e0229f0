// How long a run may take, in milliseconds.

/** For one call, where nothing else is said. */
export const callTimeoutMsDefault = 10_000;

/** For the whole run, where nothing else is said. */
export const runTimeoutMsDefault = 300_000;

/** In a sandbox a token is left 599 seconds: a run ends before it does. */
export const runTimeoutMsMax = 540_000;
