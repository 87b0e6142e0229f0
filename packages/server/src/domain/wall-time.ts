// Dates and times of day without a zone of their own.

import { Temporal } from 'temporal-polyfill';

/**
 * The instant of a text such as 2026-03-15 or 2026-03-15T12:00 in a zone, in ms. A time that comes twice is the first one; one
 * that a clock change skips is later by the skipped time.
 */
export function instantOfWallTime(text: string, timeZone: string): number {
  return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds;
}
