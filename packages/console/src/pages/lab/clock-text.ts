// The clock of an app as text: an instant to the second, and its rate in words.

import { durationText } from '../../parts/duration.ts';
import { dayMs, hourMs, minuteMs } from '../../runtime/durations.ts';

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function formatOf(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone,
  });
  formats.set(timeZone, format);
  return format;
}

/** "23 Nov 2026  22:49:07". */
export function clockText(ms: number, timeZone: string | undefined): string {
  return formatOf(timeZone).format(ms).replace(',', ' ');
}

/** The largest of these that passes within 10 minutes. */
const passing = [
  ['a month', 31 * dayMs],
  ['a day', dayMs],
  ['an hour', hourMs],
  ['a minute', minuteMs],
] as const;

/** "a month in 5 min". */
export function rateText(rate: number): string {
  if (rate === 1) return 'real time';
  const [name, ms] = passing.find(([, length]) => length / rate <= 10 * minuteMs) ?? passing[3];
  return `${name} in ${durationText(ms / rate)}`;
}
