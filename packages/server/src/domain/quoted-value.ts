// Quotes values of a caller in messages: shortened, and without characters that a terminal or log could interpret.

/** Longer than every valid query value; a continuation key has 41 characters. */
const quotedLengthMax = 48;

/** The value in quotation marks, cut after 48 characters, with `?` for each character outside printable ASCII. */
export function quoteValue(value: string): string {
  return `"${bounded(value)}"`;
}

/** Any JSON value in the same way. Only texts have quotation marks, which distinguishes 5 from "5". */
export function quoteJson(value: unknown): string {
  return typeof value === 'string' ? quoteValue(value) : bounded(JSON.stringify(clipped(value)) ?? 'nothing');
}

/** Leaves out what is nested too deeply to be shown: a body of 64 KiB can have more levels than the stack has room for. */
function clipped(value: unknown, levels = quotedLengthMax): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => clipped(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, clipped(part, levels - 1)]));
}

function bounded(text: string): string {
  const shown = text.slice(0, quotedLengthMax).replaceAll(/[^\x20-\x7e]/g, '?');
  return text.length > quotedLengthMax ? `${shown}...` : shown;
}
