// A table as CSV (RFC 4180) that a spreadsheet opens without running or changing a value: each text that it would read as
// something else begins with an apostrophe.

import { Temporal } from 'temporal-polyfill';

/** Without it, Excel reads a file as text of the code page of its machine. */
export const byteOrderMark = '\ufeff';

/**
 * Where a formula could begin: at the start of a text, or after a character that separates cells or rows where the comma
 * does not. Japanese and Chinese spreadsheets read the wide forms as well.
 */
const formulaStart = /(?<=^|[;|\t\r\n])(?=["\s]*[=+\-@＝﹦＋﹢－﹣−＠﹫])|^(?=[\t\r\n])/g;

/** Most texts, which have no such place. */
const hasNoFormula = /^[a-z_][^;|\t\r\n]*$/i;

const month =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';

/** Numbers, dates and times: an id of 20 digits would lose 5 of them, and 007, 12E3 and 1-2 would become 7, 12000 and 1 Feb. */
const numberLike = new RegExp(`^(?:[\\p{Nd}\\p{Sc}\\s.,:/%()'+-]|(?<=\\p{Nd})e|[ap]m|${month})+$`, 'iu');
const digit = /\p{Nd}/u;

/** A text as a cell, before it is quoted. */
export function csvText(text: string): string {
  const guarded = hasNoFormula.test(text) ? text : text.replaceAll(formulaStart, "'");
  return guarded === text && numberLike.test(text) && digit.test(text) ? `'${text}` : guarded;
}

/** A price in its unit: 1299 with 2 digits is 12.99. */
export function csvAmount(price: number, digits: number): string {
  if (digits === 0) return String(price);
  const text = String(price).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** A row with its end. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

interface OffsetSpan {
  /** In ms: the first instant, and the first one after it. */
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
  /** As in `+09:00`. */
  readonly text: string;
}

/** Returns a function that writes instants in ISO 8601 with the offset of a zone. */
export function csvInstants(timeZone: string): (ms: number) => string {
  // Temporal would calculate each instant for 9 µs.
  const spans: OffsetSpan[] = [];
  let span: OffsetSpan | undefined;
  const isIn = (ms: number, { from, to }: OffsetSpan) => ms >= from && ms < to;
  return (ms) => {
    if (span === undefined || !isIn(ms, span)) {
      span = spans.find((known) => isIn(ms, known)) ?? offsetSpanAt(ms, timeZone);
      if (!spans.includes(span)) spans.push(span);
    }
    return new Date(ms + span.offsetMs).toISOString().slice(0, -1) + span.text;
  };
}

function offsetSpanAt(ms: number, timeZone: string): OffsetSpan {
  const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
  // At a transition, the earlier of the two enclosing offsets.
  const from = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds;
  const to = zoned.getTimeZoneTransition('next')?.epochMilliseconds;
  return {
    from: from ?? Number.NEGATIVE_INFINITY,
    to: to ?? Number.POSITIVE_INFINITY,
    offsetMs: zoned.offsetNanoseconds / 1_000_000,
    text: zoned.offset,
  };
}
