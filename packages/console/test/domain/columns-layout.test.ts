// The layout of stacked columns, for any values and any width.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisWidth, layOutColumns } from '../../src/pictures/columns-layout.ts';

const height = 190;

/** Rounding errors of a sum of floating point numbers, in pixels. */
const tolerance = 1e-6;

const rows = fc.array(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 5 }), {
  minLength: 1,
  maxLength: 400,
});

test('the parts of a column do not overlap, are inside the picture, on their side of the line, and as high as their values', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 200, max: 2000 }), (values, width) => {
      const { columns, zero, ticks, room } = layOutColumns(values, { width, height });
      columns.forEach(({ x, parts }, column) => {
        expect(x).toBeGreaterThanOrEqual(axisWidth);
        expect(x + room).toBeLessThanOrEqual(width + tolerance);
        const perUnit = parts.map(({ index, height: high }) => high / Math.abs(values[column]?.[index] ?? 0));
        for (const size of perUnit) expect(Math.abs(size - (perUnit[0] ?? 0))).toBeLessThan(tolerance);
        for (const { index, y, height: high } of parts) {
          const isAbove = (values[column]?.[index] ?? 0) > 0;
          expect(isAbove ? zero - y - high : y - zero).toBeGreaterThanOrEqual(-tolerance);
        }
        let end = 0;
        for (const { y, height: high } of parts.toSorted((left, right) => left.y - right.y)) {
          expect(y).toBeGreaterThanOrEqual(end - tolerance);
          end = y + high;
        }
        expect(end).toBeLessThanOrEqual(height + tolerance);
      });
      for (const { value } of ticks) expect(Number.isInteger(value)).toBe(true);
    }),
  );
});
