// How long an attempt of the calls may take that take longer than others.

/** Longer than the server works at most for a call that moves or changes much of an app. */
export const longWorkTimeoutMs = 300_000;

/** Longer than the server waits for an event at most. */
export const eventsTimeoutMs = 40_000;
