// The layout of the picture of a subscription, for any data and any width.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LifeData, LifeMark } from '../../src/pictures/life-data.ts';
import { labelWidth, layOutLife, markWidth, outstandingWidthMin } from '../../src/pictures/life-layout.ts';

const from = Date.UTC(2026, 0, 15);
const hourMs = 3_600_000;

/** Rounding errors of a sum of floating point numbers, in pixels. */
const tolerance = 1e-6;

const widths = fc.integer({ min: 100, max: 2000 });

const bars = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 * 24 }), fc.integer({ min: 0, max: 40 * 24 })), {
    maxLength: 70,
  })
  .map((lengths) => {
    let start = from;
    return lengths.map(([gap, length]) => {
      const bar = {
        kind: 'paid' as const,
        start: start + gap * hourMs,
        end: start + (gap + length) * hourMs,
      };
      start = bar.end;
      return bar;
    });
  });

const marks = (to: number) =>
  fc
    .array(fc.integer({ min: from, max: to }), { maxLength: 300 })
    .map((times) =>
      times.toSorted((a, b) => a - b).map((time): LifeMark => ({ kind: 'declined', time, text: 'Charge' })),
    );

const lives = bars.chain((shown) => {
  const to = Math.max(from + hourMs, shown.at(-1)?.end ?? 0);
  return fc.record<LifeData>({
    from: fc.constant(from),
    to: fc.constant(to),
    now: fc.integer({ min: from - hourMs, max: to + hourMs }),
    bars: fc.constant(shown),
    charges: marks(to),
    switches: marks(to),
  });
});

interface Extent {
  readonly left: number;
  readonly right: number;
}

/** Asserts that the extents are in order, do not overlap and are inside the width. */
function expectApart(extents: readonly Extent[], width: number): void {
  let end = 0;
  for (const { left, right } of extents) {
    expect(left).toBeGreaterThanOrEqual(end - tolerance);
    expect(right).toBeGreaterThanOrEqual(left);
    end = right;
  }
  expect(end).toBeLessThanOrEqual(width + tolerance);
}

const around = (center: number, size: number): Extent => ({
  left: center - size / 2,
  right: center + size / 2,
});

test('nothing overlaps in its lane or falls outside the picture, whatever the data and the width', () => {
  fc.assert(
    fc.property(lives, widths, (data, width) => {
      const layout = layOutLife(data, width);
      expectApart(
        layout.bars.map((bar) => ({ left: bar.x, right: bar.x + bar.width })),
        width,
      );
      for (const lane of [layout.charges, layout.switches]) {
        expectApart(
          lane.map(({ x }) => around(x, markWidth)),
          width,
        );
      }
      expectApart(
        layout.labels.map(({ labelX }) => around(labelX, labelWidth)),
        width,
      );
      if (layout.nowX !== undefined) expectApart([around(layout.nowX, 0)], width);
    }),
  );
});

test('every period, charge and change of auto-payment is shown exactly once', () => {
  fc.assert(
    fc.property(lives, widths, (data, width) => {
      const layout = layOutLife(data, width);
      expect(layout.bars.map(({ start, end }) => [start, end])).toEqual(
        data.bars.map(({ start, end }) => [start, end]),
      );
      expect(layout.charges.flatMap(({ items }) => items)).toEqual(data.charges);
      expect(layout.switches.flatMap(({ items }) => items)).toEqual(data.switches);
    }),
  );
});

test('an outstanding period is wide enough to be seen, however short it is, and what follows it is next to it', () => {
  const ages = fc.record({ age: fc.integer({ min: 1, max: 20 * 24 }), width: widths });
  fc.assert(
    fc.property(ages, ({ age, width }) => {
      const day = 24 * hourMs;
      const due = from + 30 * day;
      const now = due + age * hourMs;
      const to = due + 30 * day;
      const shown = [
        { kind: 'paid', start: from, end: due },
        { kind: 'outstanding', start: due, end: now },
      ] as const;
      const data = { from, to, now, bars: shown, charges: [], switches: [] };
      const { bars } = layOutLife(data, width);
      expectApart(
        bars.map((bar) => ({ left: bar.x, right: bar.x + bar.width })),
        width,
      );
      expect(bars[1]?.width).toBeGreaterThanOrEqual(outstandingWidthMin - 2);
    }),
  );
});

test('marks that are far enough apart are not joined', () => {
  const day = 24 * hourMs;
  const charges = [0, 1, 2].map((days) => ({ kind: 'paid' as const, time: from + days * day, text: '' }));
  const data = { from, to: from + 2 * day, now: 0, bars: [], charges, switches: [] };
  expect(layOutLife(data, 3 * markWidth).charges.map(({ items }) => items.length)).toEqual([1, 1, 1]);
  expect(layOutLife(data, 3 * markWidth - 1).charges.map(({ items }) => items.length)).toEqual([2, 1]);
});
