// Quotes values of a caller in messages: shortened, and without characters that a terminal or log could interpret.

/** Parts of JSON that the types of TypeScript 7 do not have. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Longer than every valid query value; a continuation key has 41 characters. */
const quotedLengthMax = 48;

/** The value in quotation marks, cut after 48 characters, with `?` for each control, invisible or unpaired character. */
export function quoteValue(value: string): string {
  return `"${bounded(value)}"`;
}

/** Any JSON value in the same way. Only texts have quotation marks, which distinguishes 5 from "5". */
export function quoteJson(value: unknown): string {
  return typeof value === 'string' ? quoteValue(value) : bounded(JSON.stringify(clipped(value)) ?? 'nothing');
}

/** Leaves out what is nested too deeply to be shown: a body of 64 KiB can have more levels than the stack has room for. */
function clipped(value: unknown, levels = quotedLengthMax): unknown {
  if (typeof value !== 'object' || value === null || isRawJSON(value)) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => clipped(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, clipped(part, levels - 1)]));
}

/** JSON whose numbers quoteJson shows as they were sent: JavaScript rounds those beyond 2^53. */
export function parseWithNumbersAsSent(text: string): unknown {
  return parse(text, (_name, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value));
}

/** An instant in ms, as programs send it and as people read it. */
export function quoteInstant(ms: number): string {
  const date = new Date(ms);
  // A sent value may be beyond all dates.
  return Number.isNaN(date.getTime()) ? String(ms) : `${ms} (${date.toISOString()})`;
}

function bounded(text: string): string {
  // A character has at most two units.
  const [...characters] = text.slice(0, 2 * quotedLengthMax + 1);
  const shown = printable(characters.slice(0, quotedLengthMax).join(''));
  return characters.length > quotedLengthMax ? `${shown}...` : shown;
}

/** The text with `?` for each control, invisible or unpaired character. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
}
