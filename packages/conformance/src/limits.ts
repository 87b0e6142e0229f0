// The timeouts of a run, in ms.

/** Default timeout of one call. */
export const callTimeoutMsDefault = 10_000;

/** Default timeout of the whole run. */
export const runTimeoutMsDefault = 300_000;

/** In a sandbox, a token is shortened to 599 seconds, and the run ends before it expires. */
export const runTimeoutMsMax = 540_000;
