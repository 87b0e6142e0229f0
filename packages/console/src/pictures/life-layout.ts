// The layout of the picture of a subscription, in CSS pixels. It knows nothing of how the picture is drawn.

import { scaleLinear } from 'd3-scale';
import type { LifeBar, LifeData, LifeMark } from './life-data.ts';

/** The width of a mark, also of one that stands for several. */
export const markWidth = 14;

/** Between a period and the next. */
const barGap = 2;

/** An outstanding period is what a reader looks for, however short it is. */
export const outstandingWidthMin = 24;

/** The width of a label of the axis, such as "22 Mar 2027", and the space after it. */
export const labelWidth = 74;
const labelGap = 10;

export interface PlacedBar extends LifeBar {
  readonly x: number;
  readonly width: number;
}

/** Marks that would overlap are one. */
export interface PlacedMark {
  /** The center. */
  readonly x: number;
  readonly items: readonly LifeMark[];
}

interface PlacedLabel {
  readonly time: number;
  /** Where it points to. */
  readonly x: number;
  /** The center of the text. */
  readonly labelX: number;
}

export interface LifeLayout {
  readonly bars: readonly PlacedBar[];
  readonly charges: readonly PlacedMark[];
  readonly switches: readonly PlacedMark[];
  readonly labels: readonly PlacedLabel[];
  /** undefined if now is outside the window. */
  readonly nowX: number | undefined;
}

export function layOutLife(data: LifeData, width: number): LifeLayout {
  const { from, to, now } = data;
  const x = scaleLinear([from, to], [0, width]).clamp(true);
  return {
    bars: placedBars(data.bars, { x, width }),
    charges: placedMarks(data.charges, { x, width }),
    switches: placedMarks(data.switches, { x, width }),
    labels: placedLabels(data.bars, { x, width }),
    nowX: now < from || now > to ? undefined : x(now),
  };
}

type Scale = (time: number) => number;

/** `bars` are in order of time. */
function placedBars(bars: readonly LifeBar[], { x, width }: Space): PlacedBar[] {
  let left = 0;
  return bars.map((bar) => {
    const isOutstanding = bar.kind === 'outstanding';
    const start = Math.max(left, x(bar.start));
    const room = Math.max(
      x(bar.end) - start,
      isOutstanding ? Math.min(outstandingWidthMin, width - start) : 0,
    );
    left = start + room;
    // A period that is narrower than the gap still has a part of its room.
    const own = Math.max(room - barGap, room / 2);
    return { ...bar, x: start, width: own };
  });
}

interface Space {
  readonly x: Scale;
  readonly width: number;
}

/** `marks` are in order of time. */
function placedMarks(marks: readonly LifeMark[], { x, width }: Space): PlacedMark[] {
  const placed: { x: number; items: LifeMark[] }[] = [];
  const half = markWidth / 2;
  for (const mark of marks) {
    const center = Math.max(half, Math.min(width - half, x(mark.time)));
    const last = placed.at(-1);
    if (last !== undefined && center < last.x + markWidth) last.items.push(mark);
    else placed.push({ x: center, items: [mark] });
  }
  return placed;
}

/** Labels as many starts of periods as there is room for, from the left. */
function placedLabels(bars: readonly LifeBar[], { x, width }: Space): PlacedLabel[] {
  const half = labelWidth / 2;
  const labels: PlacedLabel[] = [];
  if (width < labelWidth) return labels;
  for (const { start: time } of bars) {
    const labelX = Math.max(half, Math.min(width - half, x(time)));
    const last = labels.at(-1);
    if (last === undefined || labelX >= last.labelX + labelWidth + labelGap)
      labels.push({ time, x: x(time), labelX });
  }
  return labels;
}
