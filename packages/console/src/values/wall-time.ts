// The calendar of a time zone; undefined is that of the browser.

import { dayMs } from '../runtime/durations.ts';

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** The wall time at an instant, as the UTC instant with the same wall time. */
function wallTime(instant: number, timeZone: string | undefined): number {
  const parts = formatOf(timeZone).formatToParts(instant);
  const partOf = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value);
  const [year, month, day] = [partOf('year'), partOf('month'), partOf('day')];
  const seconds = Date.UTC(year, month - 1, day, partOf('hour'), partOf('minute'), partOf('second'));
  return seconds + (((instant % 1_000) + 1_000) % 1_000);
}

/** The instants with this wall time, earliest first: two in the hour that comes twice, none in one that the clocks skip. */
function instantsOf(wall: number, timeZone: string | undefined): readonly number[] {
  const exact = nearInstants(wall, timeZone).filter((instant) => wallTime(instant, timeZone) === wall);
  return [...new Set(exact)].sort((left, right) => left - right);
}

/** The instants that the wall time would be by the offsets of the day before and the day after. */
function nearInstants(wall: number, timeZone: string | undefined): readonly number[] {
  return [wall - dayMs, wall + dayMs].map((near) => wall - (wallTime(near, timeZone) - near));
}

/** The earlier of two instants with this wall time; if the clocks skip it, an instant later by the skipped time. */
function instantOf(wall: number, timeZone: string | undefined): number {
  const [first = nearInstants(wall, timeZone)[0] ?? wall] = instantsOf(wall, timeZone);
  return first;
}

/** Whether another instant has the same wall time. */
export function comesTwice(instant: number, timeZone: string | undefined): boolean {
  return instantsOf(wallTime(instant, timeZone), timeZone).length > 1;
}

/** When a day such as 2026-03-15 begins. */
export function startOfDay(day: string, timeZone: string | undefined): number {
  return instantOf(Date.parse(day), timeZone);
}

/** The instant of a wall time such as 2026-03-15T12:00, or undefined if the text is none. */
export function instantOfMinute(text: string, timeZone: string | undefined): number | undefined {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? undefined : instantOf(wall, timeZone);
}

/** The wall time in the form that a field has: 2026-03-15T12:00. */
export function minuteText(instant: number, timeZone: string | undefined): string {
  return new Date(wallTime(instant, timeZone)).toISOString().slice(0, 16);
}

/** The same wall time calendar months later, on the last day of a month that is too short, and days after that. */
export function later(
  instant: number,
  { months = 0, days = 0 }: { readonly months?: number; readonly days?: number },
  timeZone: string | undefined,
): number {
  const wall = new Date(wallTime(instant, timeZone));
  const day = wall.getUTCDate();
  wall.setUTCMonth(wall.getUTCMonth() + months);
  if (wall.getUTCDate() !== day) wall.setUTCDate(0);
  wall.setUTCDate(wall.getUTCDate() + days);
  return instantOf(wall.getTime(), timeZone);
}
