// Round instants of an axis of time, with their labels, in a time zone.

import { instantOf, wallTime } from '../parts/wall-time.ts';
import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts';

export interface TimeTick {
  readonly time: number;
  /** "22:50", "24 Nov" or "1 Jan 2027": with the date or the year where it changes. */
  readonly label: string;
}

const steps: readonly number[] = [
  ...[10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 5, 10].map((days) => days * dayMs),
];
const monthSteps: readonly number[] = [1, 2, 3, 6, 12, 24, 60, 120];
const monthMs = 30.4375 * dayMs;

interface TickRange {
  readonly from: number;
  readonly to: number;
  readonly timeZone: string | undefined;
  readonly ticksMax: number;
  /** Its date needs no label. */
  readonly now: number;
}

/** At most `ticksMax` of them (and one more if both ends are round), the first and the last inside the range. */
export function timeTicks({ from, to, timeZone, ticksMax, now }: TickRange): TimeTick[] {
  const walls = { from: wallTime(from, timeZone), to: wallTime(to, timeZone) };
  const step = steps.find((ms) => (to - from) / ms <= ticksMax);
  const found = step === undefined ? monthTicks(walls, ticksMax) : evenTicks(walls, step);
  let previous = wallTime(now, timeZone);
  return found.map((wall) => {
    const label = labelOf(wall, previous, step);
    previous = wall;
    return { time: instantOf(wall, timeZone), label };
  });
}

interface Walls {
  readonly from: number;
  readonly to: number;
}

function evenTicks({ from, to }: Walls, step: number): number[] {
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step);
}

function monthTicks({ from, to }: Walls, ticksMax: number): number[] {
  const step = monthSteps.find((months) => (to - from) / (months * monthMs) <= ticksMax) ?? 120;
  const start = new Date(from);
  const firstMonth = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  const ticks: number[] = [];
  for (let month = firstMonth; ; month += step) {
    const wall = Date.UTC(1970, month - 1970 * 12, 1);
    if (wall > to) return ticks;
    if (wall >= from) ticks.push(wall);
  }
}

const formatOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC', hourCycle: 'h23' });
const times = formatOf({ hour: '2-digit', minute: '2-digit' });
const seconds = formatOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const days = formatOf({ day: 'numeric', month: 'short' });
const years = formatOf({ day: 'numeric', month: 'short', year: 'numeric' });

function labelOf(wall: number, previous: number, step: number | undefined): string {
  const day = (new Date(wall).getUTCFullYear() === new Date(previous).getUTCFullYear() ? days : years).format(
    wall,
  );
  if (step === undefined || step >= dayMs) return day;
  const time = (step < minuteMs ? seconds : times).format(wall);
  if (Math.floor(wall / dayMs) === Math.floor(previous / dayMs)) return time;
  return wall % dayMs === 0 ? day : `${day} ${time}`;
}
