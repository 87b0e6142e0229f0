// The timeouts of calls that take longer than others.

/** At least the time limit of the server for calls that change much of an app. */
export const longWorkTimeoutMs = 300_000;

/** Longer than the longest wait of the server for an event. */
export const eventsTimeoutMs = 40_000;
