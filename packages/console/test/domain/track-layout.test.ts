// The layout of the track of next stops, for any stops, window, width and time zone.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wallTime } from '../../src/parts/wall-time.ts';
import {
  type DueStop,
  labelWidth,
  layOutTrack,
  markGap,
  nowLabelEnd,
  trackEnd,
  trackLanes,
  trackStart,
} from '../../src/pictures/track-layout.ts';
import { timeTicks } from '../../src/pictures/track-ticks.ts';
import { fittingWindow, panned, trackSpans, zoomed } from '../../src/pictures/track-window.ts';

const now = Date.UTC(2026, 2, 15, 12, 46, 7);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** From an hour ago to ten years ahead, with many at the same instant. */
const time = fc.oneof(
  fc.integer({ min: now - hourMs, max: now + hourMs }),
  fc.integer({ min: now, max: now + 10 * 366 * dayMs }),
  fc.constantFrom(now, now + 60_000, now + dayMs),
);
const stops = fc.array(
  fc.record({
    time,
    kind: fc.constantFrom(...trackLanes.flatMap(({ kinds }) => kinds as readonly string[])),
    count: fc.integer({ min: 1, max: 1_000 }),
    id: fc.string(),
  }),
  { maxLength: 50 },
);
const sizes = fc.record({
  now: fc.constant(now),
  window: fc.record({
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 366 * dayMs })),
    span: fc.oneof(
      fc.constantFrom(...Object.values(trackSpans)),
      fc.integer({ min: 60_000, max: 50 * 366 * dayMs }),
    ),
  }),
  width: fc.integer({ min: 280, max: 2_000 }),
  timeZone: fc.constantFrom('UTC', 'Asia/Seoul', 'Europe/Berlin', 'America/St_Johns'),
});

type Size = Parameters<typeof layOutTrack>[1];

const sumOf = (of: readonly { readonly count: number }[]) => of.reduce((sum, { count }) => sum + count, 0);

function check(verify: (layout: ReturnType<typeof layOutTrack>, of: DueStop[], size: Size) => void) {
  fc.assert(fc.property(stops, sizes, (of, size) => verify(layOutTrack(of, size), of, size)));
}

describe('the track of next stops', () => {
  test('what its marks and both ends count is what is due, each in the lane of its kind', () => {
    check(({ lanes, before, after }, of) => {
      const marks = lanes.flatMap((lane) => lane.marks);
      expect(sumOf(marks) + before + after).toBe(sumOf(of));
      for (const [index, lane] of lanes.entries()) {
        for (const mark of lane.marks) {
          expect(mark.count).toBe(sumOf(mark.stops));
          for (const { kind } of mark.stops) expect(trackLanes[index]?.kinds).toContain(kind);
        }
      }
    });
  });

  test('no mark is outside the track, and marks of a lane never overlap or stand nearer than 10 pixels', () => {
    check(({ lanes }, _, { width }) => {
      for (const { marks } of lanes) {
        for (const [index, { x, width: own }] of marks.entries()) {
          expect(x - own / 2).toBeGreaterThanOrEqual(trackStart - trackEnd);
          expect(x + own / 2).toBeLessThanOrEqual(Math.max(width, trackStart + 64 + trackEnd));
          const left = marks[index - 1];
          if (left === undefined) continue;
          expect(x - left.x).toBeGreaterThanOrEqual(markGap - 0.001);
          expect(x - own / 2).toBeGreaterThan(left.x + left.width / 2);
        }
      }
    });
  });

  test('distances are those in time', () => {
    const stop = (days: number) => ({ time: now + days * dayMs, kind: 'renewal', count: 1, id: 'S' });
    const size = { now, window: { offset: 0, span: 31 * dayMs }, width: 736, timeZone: 'UTC' };
    const { lanes } = layOutTrack([stop(10), stop(30), stop(20)], size);
    expect(lanes[1]?.marks.map(({ x }) => Math.round(x))).toEqual([292, 492, 692]);
  });

  test('ticks are in order, and their labels overlap neither each other nor "now" nor the ends', () => {
    check(({ ticks }, _, { window, width }) => {
      expect(ticks.length).toBeLessThanOrEqual(9);
      let end = window.offset === 0 ? nowLabelEnd : 0;
      for (const { x, label } of ticks) {
        expect(x - labelWidth(label) / 2).toBeGreaterThan(end);
        end = x + labelWidth(label) / 2;
        expect(end).toBeLessThanOrEqual(width);
      }
    });
  });

  test.each(Object.entries(trackSpans))('a span of %s has 5 to 8 ticks', (_, span) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 366 * 1_440 }), (minutes) => {
        const from = now + minutes * 60_000;
        const ticks = timeTicks({ from, to: from + span, timeZone: 'UTC', ticksMax: 8, now: from });
        expect(ticks.length).toBeGreaterThanOrEqual(5);
        expect(ticks.length).toBeLessThanOrEqual(8);
      }),
    );
  });

  test('ticks are round in the time zone, and have the date where it changes', () => {
    const labelsOf = (from: number, span: number, timeZone: string) =>
      timeTicks({ from, to: from + span, timeZone, ticksMax: 8, now: from }).map(({ label }) => label);
    expect(labelsOf(now, hourMs, 'UTC')).toEqual(['12:50', '13:00', '13:10', '13:20', '13:30', '13:40']);
    expect(labelsOf(now, dayMs, 'Asia/Seoul').slice(0, 3)).toEqual(['16 Mar', '03:00', '06:00']);
    // The clocks go forward on 29 March.
    const [first] = timeTicks({
      from: now,
      to: now + 31 * dayMs,
      timeZone: 'Europe/Berlin',
      ticksMax: 8,
      now,
    });
    expect(wallTime(first?.time ?? 0, 'Europe/Berlin') % dayMs).toBe(0);
    expect(labelsOf(now, 366 * dayMs, 'UTC')).toEqual([
      '1 May',
      '1 Jul',
      '1 Sept',
      '1 Nov',
      '1 Jan 2027',
      '1 Mar',
    ]);
  });
});

describe('the window of the track', () => {
  test('it never begins before now, and the first stop is in the window that fits it', () => {
    const window = fittingWindow(now + 2 * hourMs, now);
    expect(window).toEqual({ offset: 0, span: dayMs });
    expect(zoomed(window, 4, 1).offset).toBe(0);
    expect(panned(window, -0.5).offset).toBe(0);
  });

  test('zooming in keeps the place at the pointer', () => {
    const next = zoomed({ offset: 0, span: dayMs }, 0.25, 0.5);
    expect(next).toEqual({ offset: 0.375 * dayMs, span: 0.25 * dayMs });
  });
});
