// What stands above numbers that are not complete, for every reader of statistics.

/** Shown above statistics without countedUntil. */
export const partialNote = 'These numbers are not complete: the days of an imported app are being counted.';
