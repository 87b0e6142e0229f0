// The layout of the picture of a delivery, in CSS pixels: the time since the event on a logarithmic scale, with a mark for
// each attempt. It knows nothing of how the picture is drawn.

import { dayMs, hourMs, minuteMs, secondMs } from '../runtime/durations.ts';
import { spread } from './spread.ts';

interface DrawnAttempt {
  /** By the clock of the app, like eventTime. */
  readonly appTime: number;
  readonly httpStatus?: number | undefined;
  readonly failure?: string | undefined;
}

interface DrawnDelivery {
  readonly eventTime: number;
  readonly attempts: readonly DrawnAttempt[];
  readonly dueTime?: number | undefined;
}

/** delivered: 2xx; rejected: another status; failed: no complete response; next: not made yet. */
type DeliveryMarkKind = 'delivered' | 'rejected' | 'failed' | 'next';

export interface DeliveryMark {
  readonly kind: DeliveryMarkKind;
  /** The center. */
  readonly x: number;
  /** Counted from 1. */
  readonly attempt: number;
}

interface Tick {
  readonly x: number;
  readonly label: string;
}

export interface DeliveryLayout {
  readonly marks: readonly DeliveryMark[];
  readonly ticks: readonly Tick[];
}

/** Between the centers of marks of 10 pixels. */
export const deliveryMarkGap = 14;

/** The distance from the edge of the picture to the center of its first mark, with room for half a tick's label. */
export const deliveryEdge = 24;

export const tickGap = 56;

const tickTimes: readonly (readonly [number, string])[] = [
  [0, 'event'],
  [secondMs, '1 s'],
  [10 * secondMs, '10 s'],
  [minuteMs, '1 min'],
  [10 * minuteMs, '10 min'],
  [hourMs, '1 h'],
  [6 * hourMs, '6 h'],
  [dayMs, '1 d'],
  [3 * dayMs, '3 d'],
  [10 * dayMs, '10 d'],
  [30 * dayMs, '30 d'],
  [100 * dayMs, '100 d'],
  [365 * dayMs, '1 y'],
  [3_650 * dayMs, '10 y'],
];

export function layOutDelivery(delivery: DrawnDelivery, width: number): DeliveryLayout {
  const { eventTime, attempts, dueTime } = delivery;
  const kinds = [...attempts.map(kindOf), ...(dueTime === undefined ? [] : ['next' as const])];
  const times = [...attempts.map(({ appTime }) => appTime), ...(dueTime === undefined ? [] : [dueTime])];
  const left = deliveryEdge;
  const right = Math.max(left, width - deliveryEdge);
  const longest = Math.max(minuteMs, ...times.map((time) => time - eventTime));
  const xOf = (sinceMs: number) =>
    left + ((right - left) * Math.log1p(Math.max(0, sinceMs) / secondMs)) / Math.log1p(longest / secondMs);
  const ideals = times.map((time) => xOf(time - eventTime));
  const xs = spread(ideals, { left, right, gap: deliveryMarkGap });
  return {
    marks: kinds.map((kind, index) => ({ kind, x: xs[index] ?? left, attempt: index + 1 })),
    ticks: ticksOf(longest, xOf),
  };
}

/** Whether the receiver responded, and how. */
function kindOf({ httpStatus, failure }: DrawnAttempt): DeliveryMarkKind {
  if (httpStatus === undefined || failure !== undefined) return 'failed';
  return httpStatus >= 200 && httpStatus <= 299 ? 'delivered' : 'rejected';
}

/** As many ticks as there is room for, starting at the event. */
function ticksOf(longest: number, xOf: (sinceMs: number) => number): Tick[] {
  const ticks: Tick[] = [];
  for (const [sinceMs, label] of tickTimes) {
    const x = xOf(sinceMs);
    const last = ticks.at(-1);
    if (sinceMs <= longest && (last === undefined || x - last.x >= tickGap)) ticks.push({ x, label });
  }
  return ticks;
}
