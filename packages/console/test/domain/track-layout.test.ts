// The layout of the track of next stops, for any stops and any width.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type DueStop,
  layOutTrack,
  markGap,
  nowLabelEnd,
  trackEdge,
  trackLabelWidth,
} from '../../src/pictures/track-layout.ts';

const now = Date.UTC(2026, 2, 15, 12);

/** From an hour ago to ten years ahead, with many at the same instant. */
const time = fc.oneof(
  fc.integer({ min: now - 3_600_000, max: now + 3_600_000 }),
  fc.integer({ min: now, max: now + 10 * 366 * 86_400_000 }),
  fc.constantFrom(now, now + 60_000, now + 86_400_000),
);
const stops = fc.array(
  fc.record({
    time,
    kind: fc.constantFrom('renewal', 'retry', 'delivery'),
    count: fc.integer({ min: 1, max: 1_000 }),
    id: fc.string(),
  }),
  { maxLength: 50 },
);
const widths = fc.integer({ min: 200, max: 2_000 });

const sumOf = (of: readonly { readonly count: number }[]) => of.reduce((sum, { count }) => sum + count, 0);

function check(verify: (layout: ReturnType<typeof layOutTrack>, of: DueStop[], width: number) => void) {
  fc.assert(fc.property(stops, widths, (of, width) => verify(layOutTrack(of, { now, width }), of, width)));
}

describe('the track of next stops', () => {
  test('each instant has one mark, whose count is the sum of what is due then', () => {
    check(({ marks }, of) => {
      expect(marks.map((mark) => mark.time)).toEqual(
        [...new Set(of.map((stop) => stop.time))].toSorted((a, b) => a - b),
      );
      for (const mark of marks) {
        expect(mark.stops).toEqual(of.filter((stop) => stop.time === mark.time));
        expect(mark.count).toBe(sumOf(mark.stops));
      }
      expect(sumOf(marks)).toBe(sumOf(of));
    });
  });

  test('no mark is outside the track, and neighbors in a row never overlap each other or the present', () => {
    check(({ marks, rowCount }, _, width) => {
      for (const [index, { x, row }] of marks.entries()) {
        expect(row).toBeGreaterThanOrEqual(0);
        expect(row).toBeLessThan(rowCount);
        expect(x).toBeLessThanOrEqual(width - trackEdge + 0.001);
        const before = marks[index - 1];
        const end = before?.row === row ? before.x : trackEdge;
        expect(x - end).toBeGreaterThanOrEqual(markGap - 0.001);
        expect(row - (before?.row ?? 0)).toBeLessThanOrEqual(1);
      }
    });
  });

  test('labels are inside the track and never overlap, and each row has one', () => {
    check(({ marks, rowCount }, _, width) => {
      for (let row = 0; row < rowCount; row += 1) {
        const own = marks.filter((mark) => mark.row === row);
        const centers = own.flatMap(({ labelX }) => (labelX === undefined ? [] : [labelX]));
        expect(centers.length > 0).toBe(own.length > 0);
        for (const { x, labelX = x } of own) {
          expect(Math.abs(labelX - x)).toBeLessThanOrEqual(trackLabelWidth / 2);
        }
        for (const [index, center] of centers.entries()) {
          expect(center - trackLabelWidth / 2).toBeGreaterThanOrEqual(row === 0 ? nowLabelEnd : 0);
          expect(center + trackLabelWidth / 2).toBeLessThanOrEqual(width);
          expect(center - (centers[index - 1] ?? -trackLabelWidth)).toBeGreaterThanOrEqual(trackLabelWidth);
        }
      }
    });
  });

  test('where there is room, distances are those in time', () => {
    const stop = (days: number) => ({ time: now + days * 86_400_000, kind: 'renewal', count: 1, id: 'S' });
    const { marks } = layOutTrack([stop(10), stop(30), stop(20)], { now, width: 628 });
    expect(marks.map(({ x }) => x)).toEqual([214, 414, 614]);
  });

  test('a narrow track has several rows of about the same length', () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      time: now + index,
      kind: 'renewal',
      count: 1,
      id: `${index}`,
    }));
    const { marks, rowCount } = layOutTrack(many, { now, width: 340 });
    const lengths = Array.from(
      { length: rowCount },
      (_, row) => marks.filter((mark) => mark.row === row).length,
    );
    expect(lengths).toEqual([10, 10, 10, 10, 10]);
  });
});
