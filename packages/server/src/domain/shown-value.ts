// How a value that a caller sent is repeated in a message: bounded, and free of what a terminal or a log
// could take for more than text.

/** Enough for every value of the right size in a query: a continuation key has 41 characters. */
const shownMax = 48;

/** The value in quotation marks, cut after 48 characters, each character outside printable ASCII a `?`. */
export function shownValue(value: string): string {
  return `"${bounded(value)}"`;
}

/** Any value of JSON in the same way: what is no text has no marks, so that 5 and "5" are told apart. */
export function shownJson(value: unknown): string {
  return typeof value === 'string' ? shownValue(value) : bounded(JSON.stringify(value) ?? 'nothing');
}

function bounded(text: string): string {
  const shown = text.slice(0, shownMax).replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > shownMax ? `${shown}...` : shown;
}
