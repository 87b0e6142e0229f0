// A table as CSV (RFC 4180) that a spreadsheet opens without running or changing a value: each text that it would read as
// something else begins with an apostrophe.

import { offsetSpanOf } from './offset-spans.ts';

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

/** Returns a function that writes instants in ISO 8601 with the offset of a zone. */
export function csvInstants(timeZone: string): (ms: number) => string {
  return (ms) => {
    const { offsetMs, text } = offsetSpanOf(ms, timeZone);
    return new Date(ms + offsetMs).toISOString().slice(0, -1) + text;
  };
}
