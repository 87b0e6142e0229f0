// The layout of the track of next stops, in CSS pixels: where there is room, distances in a row are those in time. It
// knows nothing of how the track is drawn.

import { spread } from './spread.ts';

/** Something that falls due. */
export interface DueStop {
  readonly time: number;
  readonly kind: string;
  readonly count: number;
  readonly id: string;
}

/** Everything that falls due at one instant. */
export interface TrackMark {
  readonly time: number;
  readonly stops: readonly DueStop[];
  readonly count: number;
  /** The center. */
  readonly x: number;
  /** The row, counted from 0 at the top. */
  readonly row: number;
  /** The center of the label with its time; absent where there is no room for it. */
  readonly labelX?: number;
}

export interface TrackLayout {
  readonly rowCount: number;
  /** In order of time. */
  readonly marks: readonly TrackMark[];
}

/** Between the centers of neighbors: a button of 24 pixels, and room for a count of three digits. */
export const markGap = 30;

/** The distance from the edge of the track to the center of its first mark; in the first row, that is the present. */
export const trackEdge = 14;

/** The width of a label, such as "22 Mar 2027". */
export const trackLabelWidth = 88;

/** The end of the word "now" under the present. */
export const nowLabelEnd = 26;

const labelGap = 8;

type Placed = Omit<TrackMark, 'labelX'>;

/** Lays out stops in any order; what is overdue at `now` follows it at once. */
export function layOutTrack(
  stops: readonly DueStop[],
  { now, width }: { readonly now: number; readonly width: number },
): TrackLayout {
  const byTime = Map.groupBy(stops, ({ time }) => time);
  const instants = [...byTime].toSorted(([a], [b]) => a - b);
  // The place of the present is taken in every row, so that the rows are aligned.
  const perRow = Math.max(1, Math.floor((width - 2 * trackEdge) / markGap));
  const rowCount = Math.max(1, Math.ceil(instants.length / perRow));
  const inRow = Math.ceil(instants.length / rowCount);
  const marks = Array.from({ length: rowCount }, (_, row) => {
    const own = instants.slice(row * inRow, (row + 1) * inRow);
    const before = instants[row * inRow - 1]?.[0] ?? now;
    const xs = positionsOf(
      own.map(([time]) => time),
      { start: Math.max(now, before), width },
    );
    const placed = own.map(([time, ofTime], index) => ({
      time,
      stops: ofTime,
      count: ofTime.reduce((sum, { count }) => sum + count, 0),
      x: xs[index] ?? trackEdge,
      row,
    }));
    return withLabels(placed, { start: row === 0 ? nowLabelEnd : -labelGap, width });
  });
  return { rowCount, marks: marks.flat() };
}

/** In proportion to time where there is room. */
function positionsOf(
  times: readonly number[],
  { start, width }: { readonly start: number; readonly width: number },
): number[] {
  const right = Math.max(trackEdge + markGap, width - trackEdge);
  const last = times.at(-1) ?? start;
  const scale = last > start ? (right - trackEdge) / (last - start) : 0;
  const ideals = times.map((time) => trackEdge + Math.max(0, time - start) * scale);
  return spread(ideals, { left: trackEdge + markGap, right, gap: markGap });
}

/** Labels as many marks as there is room for, from the left. A label that is moved aside still touches its mark. */
function withLabels(
  marks: readonly Placed[],
  { start, width }: { readonly start: number; readonly width: number },
): TrackMark[] {
  let end = start;
  return marks.map((mark) => {
    const half = trackLabelWidth / 2;
    const free = end + labelGap + half;
    const labelX = Math.min(Math.max(mark.x, free), width - half);
    if (labelX < free || labelX - mark.x > half) return mark;
    end = labelX + half;
    return { ...mark, labelX };
  });
}
