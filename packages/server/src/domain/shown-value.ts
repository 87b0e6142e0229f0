// How a value that a caller sent is repeated in a message: bounded, and free of what a terminal or a log
// could take for more than text.

/** Enough for every value of the right size in a query: a continuation key has 41 characters. */
const shownMax = 48;

/** The value in quotation marks, cut after 48 characters, each character outside printable ASCII a `?`. */
export function shownValue(value: string): string {
  const shown = value.slice(0, shownMax).replaceAll(/[^\x20-\x7e]/g, '?');
  return value.length > shownMax ? `"${shown}..."` : `"${shown}"`;
}
