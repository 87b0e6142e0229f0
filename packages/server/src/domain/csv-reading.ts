// Reads the values of a store's database from the cells of a CSV file, as databases and spreadsheets write them.

/** The instants that instantOfCell reads. */
export const expectedInstant =
  'expected ms since 1970 (13 digits), or a time with its offset from UTC such as 2026-03-15T12:00:00+09:00';

const isoInstant =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})? ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)$/i;

/** In ms. Without an offset from UTC a time could be off by hours, and with a day before its month by months. */
export function instantOfCell(cell: string): number | undefined {
  if (/^\d{13}$/.test(cell)) return Number(cell);
  const [, day, time, fraction = '', utc, hours, minutes = '00'] = isoInstant.exec(cell) ?? [];
  if (day === undefined || time === undefined) return undefined;
  // Date.parse takes 30 February as 2 March.
  if (!isDay(day)) return undefined;
  const offset = utc === undefined ? `${hours}:${minutes}` : 'Z';
  const instant = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset}`);
  return Number.isNaN(instant) ? undefined : instant;
}

function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

const [yes, no] = [/^(?:true|t|1)$/i, /^(?:false|f|0)$/i];

export const expectedBoolean = 'expected true or false';

export function booleanOfCell(cell: string): boolean | undefined {
  if (yes.test(cell)) return true;
  return no.test(cell) ? false : undefined;
}

/** A text that is no whole number is kept: the check of the line rejects it. */
export function integerOfCell(cell: string): number | string {
  return /^-?\d{1,15}$/.test(cell) ? Number(cell) : cell;
}
