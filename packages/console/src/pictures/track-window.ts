// The part of time that the track of next stops shows: it never begins before now.

import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts';

/** In ms; relative to now, so that it moves with a clock that runs. */
export interface TrackWindow {
  /** From now to its start. */
  readonly offset: number;
  readonly span: number;
}

/** Spans to choose from, each with 5 to 8 round ticks. */
export const trackSpans: Readonly<Record<string, number>> = {
  '1 h': hourMs,
  '1 d': dayMs,
  '1 month': 31 * dayMs,
  '1 year': 366 * dayMs,
};

const spanLimits = { min: minuteMs, max: 50 * 366 * dayMs } as const;

/** Shows the first stop in the smallest span that contains it. */
export function fittingWindow(firstStop: number | undefined, now: number): TrackWindow {
  const spans = Object.values(trackSpans);
  const ahead = firstStop === undefined ? 0 : firstStop - now;
  const span = spans.find((ms) => ms >= ahead) ?? Math.min(ahead, spanLimits.max);
  return { offset: 0, span };
}

/** Multiplies the span; what is at `share` of the width, from 0 to 1, stays there unless the window would begin in the past. */
export function zoomed({ offset, span }: TrackWindow, factor: number, share: number): TrackWindow {
  const next = Math.min(Math.max(span * factor, spanLimits.min), spanLimits.max);
  return { offset: Math.max(0, offset + share * (span - next)), span: next };
}

/** Moves it by a share of its span. */
export function panned({ offset, span }: TrackWindow, share: number): TrackWindow {
  return { offset: Math.max(0, offset + share * span), span };
}
