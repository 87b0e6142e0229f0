// Values as databases and spreadsheets write them into CSV files.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { booleanOfCell, instantOfCell } from '../../src/domain/csv-reading.ts';

const minuteMs = 60_000;

test('an instant is read with any offset, in the notation of JavaScript, PostgreSQL and MySQL', () => {
  const instants = fc.integer({ min: Date.UTC(2001, 8, 10), max: Date.UTC(2099, 11, 31) });
  const quarters = fc.integer({ min: -48, max: 56 });
  fc.assert(
    fc.property(instants, quarters, fc.constantFrom('T', ' '), (instant, quarter, between) => {
      const minutes = Math.abs(quarter) * 15;
      const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
      const sign = quarter < 0 ? '-' : '+';
      const local = new Date(instant + quarter * 15 * minuteMs)
        .toISOString()
        .slice(0, -1)
        .replace('T', between);
      const hours = `${sign}${two(minutes / 60)}`;
      const offsets = [`${hours}:${two(minutes % 60)}`, `${hours}${two(minutes % 60)}`];
      if (minutes % 60 === 0) offsets.push(hours);
      for (const offset of offsets) expect(instantOfCell(`${local}${offset}`)).toBe(instant);
      expect(instantOfCell(new Date(instant).toISOString())).toBe(instant);
      expect(instantOfCell(String(instant))).toBe(instant);
    }),
  );
});

test.each([
  '2026-01-26',
  '2026-01-26T10:00:00',
  '26.01.2026 10:00',
  '1/26/2026 10:00 AM +09:00',
  '2026-02-30T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-01-26T25:00:00Z',
  '1790000000',
  '1.79E+12',
  'now',
])('%s is no instant, because its offset, day or unit would be a guess', (cell) => {
  expect(instantOfCell(cell)).toBeUndefined();
});

test('a boolean is read as JSON, PostgreSQL, MySQL and an English spreadsheet write it, and nothing else is one', () => {
  expect(['true', 't', '1', 'TRUE'].map(booleanOfCell)).toEqual([true, true, true, true]);
  expect(['false', 'f', '0', 'FALSE'].map(booleanOfCell)).toEqual([false, false, false, false]);
  expect(['yes', 'WAHR', '', 'constructor', '__proto__'].map(booleanOfCell)).toEqual(
    Array(5).fill(undefined),
  );
});
