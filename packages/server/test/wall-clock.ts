// Local dates and times computed with Intl, to check the calendar rules of the server.

/** The local date and time by Intl, which is implemented independently of Temporal. */
export function onTheWall(instant: number, timeZone: string) {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  const time = part('hour') * 3600 + part('minute') * 60 + part('second');
  return { months: part('year') * 12 + part('month') - 1, day: part('day'), time };
}

/** The number of months since the year 0. */
export function daysInMonth(months: number): number {
  const year = Math.floor(months / 12);
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][months % 12] ?? 0;
}
