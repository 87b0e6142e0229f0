// Limits that callers know too. No schemas here: whoever wants a number must not have to load them.

/** How long the secret before stays good: a day unless told otherwise, and no longer than 30 days. */
export const keepPreviousSeconds = { min: 0, max: 30 * 24 * 60 * 60, default: 24 * 60 * 60 } as const;

/** Entries of a page. 200 whole records are about 100 KB: a page that is still read and sent in one go. */
export const pageSize = { min: 1, max: 200, default: 50 } as const;
