// Quotes values of a caller in messages: shortened, and without characters that a terminal or log could interpret.

/** Longer than every valid query value; a continuation key has 41 characters. */
const quotedLengthMax = 48;

/** The value in quotation marks, cut after 48 characters, with `?` for each character outside printable ASCII. */
export function quoteValue(value: string): string {
  return `"${bounded(value)}"`;
}

/** Any JSON value in the same way. Only texts have quotation marks, which distinguishes 5 from "5". */
export function quoteJson(value: unknown): string {
  return typeof value === 'string' ? quoteValue(value) : bounded(JSON.stringify(value) ?? 'nothing');
}

function bounded(text: string): string {
  const shown = text.slice(0, quotedLengthMax).replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > quotedLengthMax ? `${shown}...` : shown;
}
