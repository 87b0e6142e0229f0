// Dates as people write and read them: 28 Dec 2026, 28 Dec 2026, 12:00, or ISO 8601.

import { instantOfMinute, startOfDay } from './wall-time.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?$/;
const writtenTime = /^(\d{1,2}) ([a-z]{3})[a-z]* (\d{4})(?:,? (\d\d:\d\d))?$/i;

/** Returns the day, or the wall time, in ISO 8601: 2026-12-28 or 2026-12-28T12:00. */
export function isoOf(text: string): string | undefined {
  const [, isoDay, isoClock] = isoTime.exec(text) ?? [];
  const [, date = '', month = '', year, clock = isoClock] = writtenTime.exec(text) ?? [];
  const number = String(months.indexOf(month.toLowerCase()) + 1);
  const day = isoDay ?? `${year}-${number.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const iso = clock === undefined ? day : `${day}T${clock}`;
  const parsed = new Date(`${iso}${clock === undefined ? '' : 'Z'}`);
  // 31 February would be a day of March.
  return Number.isNaN(parsed.getTime()) || !parsed.toISOString().startsWith(iso) ? undefined : iso;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
});

/** "28 Dec 2026" or "28 Dec 2026, 12:00" of an ISO date; any other text is returned as it is. */
export function dateText(text: string): string {
  const [, day, clock] = isoTime.exec(text) ?? [];
  if (day === undefined) return text;
  return [dayFormat.format(Date.parse(day)), clock].filter(Boolean).join(', ');
}

/** The instant of a text: of a day the first one, by the calendar of a time zone. */
export function instantOfDate(text: string, timeZone: string | undefined): number | undefined {
  const iso = isoOf(text);
  if (iso !== undefined)
    return iso.includes('T') ? instantOfMinute(iso, timeZone) : startOfDay(iso, timeZone);
  // Only with a zone of its own.
  const ms = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
