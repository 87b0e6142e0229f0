// The layout of the track of next stops, in CSS pixels: one linear scale of time, a lane for each kind of object, and
// marks that would be too near to each other as one. It knows nothing of how the track is drawn.

import { scaleLinear } from 'd3-scale';
import { countText } from '../parts/count-text.ts';
import { timeTicks } from './track-ticks.ts';
import type { TrackWindow } from './track-window.ts';

/** Something that falls due. */
export interface DueStop {
  readonly time: number;
  readonly kind: string;
  readonly count: number;
  readonly id: string;
}

/** The lanes from the top, with the kinds of stops in each. */
export const trackLanes = [
  { name: 'deliveries', kinds: ['delivery'] },
  { name: 'charges', kinds: ['renewal', 'retry', 'poll'] },
  { name: 'expiries', kinds: ['expiry'] },
] as const;

/** What is due at one instant, or at several that are too near to each other. */
export interface TrackMark {
  /** In order of time. */
  readonly stops: readonly DueStop[];
  readonly count: number;
  /** The center. */
  readonly x: number;
  readonly width: number;
}

interface PlacedTick {
  /** Also the center of its label. */
  readonly x: number;
  readonly label: string;
}

interface TrackLane {
  readonly name: string;
  /** From the left. */
  readonly marks: readonly TrackMark[];
}

export interface TrackLayout {
  readonly lanes: readonly TrackLane[];
  readonly ticks: readonly PlacedTick[];
  /** How much is due before and after the window. */
  readonly before: number;
  readonly after: number;
}

/** The start of the scale, after the names of the lanes; a mark of now reaches 24 pixels further to the left. */
export const trackStart = 92;

/** From the end of the scale to that of the track. */
export const trackEnd = 24;

/** Between the centers of single marks. */
export const markGap = 10;

/** Between the edges of marks. */
const edgeGap = 2;

/** The space for a label of an axis. */
const tickWidth = 64;

/** The word "now" under the start of the scale reaches so far. */
export const nowLabelEnd = trackStart + 12;

/** How much is due before or after the window is written at its ends, in this width. */
const countEnd = 76;

interface TrackSize {
  readonly now: number;
  readonly window: TrackWindow;
  readonly width: number;
  readonly timeZone: string | undefined;
}

/** Lays out stops in any order; what is overdue is due now. */
export function layOutTrack(stops: readonly DueStop[], size: TrackSize): TrackLayout {
  const { now, window, width } = size;
  const from = now + window.offset;
  const to = from + window.span;
  const x = scaleLinear([from, to], [trackStart, scaleEnd(width)]);
  const dueAt = ({ time }: DueStop): number => Math.max(now, time);
  const countOf = (isCounted: (time: number) => boolean): number =>
    sumOf(stops.filter((stop) => isCounted(dueAt(stop))));
  const shown = stops
    .filter((stop) => dueAt(stop) >= from && dueAt(stop) <= to)
    .toSorted((a, b) => a.time - b.time);
  const lanes = trackLanes.map(({ name, kinds }) => {
    const own = shown.filter(({ kind }) => (kinds as readonly string[]).includes(kind));
    return { name, marks: marksOf(own, (stop) => x(dueAt(stop))) };
  });
  const before = countOf((time) => time < from);
  const after = countOf((time) => time > to);
  const room = {
    start: window.offset === 0 ? nowLabelEnd : countEnd,
    end: after > 0 ? width - countEnd : width,
  };
  return { lanes, ticks: ticksOf(size, x, room), before, after };
}

function scaleEnd(width: number): number {
  return Math.max(trackStart + tickWidth, width - trackEnd);
}

function sumOf(stops: readonly DueStop[]): number {
  return stops.reduce((sum, { count }) => sum + count, 0);
}

/** Marks from the left; one that would overlap its left neighbor is merged with it, and stands in the middle of both. */
function marksOf(stops: readonly DueStop[], xOf: (stop: DueStop) => number): TrackMark[] {
  const marks: { readonly mark: TrackMark; readonly from: number; readonly to: number }[] = [];
  for (const stop of stops) {
    let from = xOf(stop);
    const to = from;
    let mark = markOf([stop], from);
    for (let left = marks.at(-1); left !== undefined && isTooNear(left.mark, mark); left = marks.at(-1)) {
      from = left.from;
      mark = markOf([...left.mark.stops, ...mark.stops], (from + to) / 2);
      marks.pop();
    }
    marks.push({ mark, from, to });
  }
  return marks.map(({ mark }) => mark);
}

function markOf(stops: readonly DueStop[], x: number): TrackMark {
  const count = sumOf(stops);
  return { stops, count, x, width: count === 1 ? markGap - edgeGap : 10 + 7 * countText(count).length };
}

function isTooNear(left: TrackMark, right: TrackMark): boolean {
  return right.x - left.x < (left.width + right.width) / 2 + edgeGap;
}

/** Ticks whose labels overlap neither each other nor what else is written there. */
function ticksOf(
  { now, window, width, timeZone }: TrackSize,
  xOf: (time: number) => number,
  room: { readonly start: number; readonly end: number },
): PlacedTick[] {
  const from = now + window.offset;
  const ticksMax = Math.min(8, Math.max(1, Math.floor((scaleEnd(width) - trackStart) / tickWidth)));
  let end = room.start;
  return timeTicks({ from, to: from + window.span, timeZone, ticksMax, now }).flatMap(({ time, label }) => {
    const x = xOf(time);
    const half = labelWidth(label) / 2;
    if (x - half < end + edgeGap || x + half > room.end) return [];
    end = x + half;
    return [{ x, label }];
  });
}

/** Of a text of 11 pixels. */
export function labelWidth(label: string): number {
  return label.length * 6.2;
}
