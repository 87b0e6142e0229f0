// CSV: a spreadsheet shows each value as it is, and runs none.

import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { csvRowsOf } from '../../../../test/support/csv-rows.ts';
import { csvAmount, csvInstants, csvRow, csvText } from '../../src/domain/csv-writing.ts';

/** Among others, with what spreadsheets give a meaning to. */
const cellText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(...'=+-@＝＋－＠,;|"\'\t\r\n a1.', 'jan', 'e'), { maxLength: 12 })
    .map((parts) => parts.join('')),
);

test('rows are read back with their cells, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cellText, { minLength: 2, maxLength: 2 })), (rows) => {
      expect(csvRowsOf(rows.map(csvRow).join(''))).toEqual(rows);
    }),
  );
});

test('no cell begins a formula, in whatever way a spreadsheet separates cells and rows', () => {
  fc.assert(
    fc.property(cellText, cellText, (left, right) => {
      const row = csvRow([csvText(left), csvText(right)]);
      const parts = [...csvRowsOf(row).flat(), ...row.split(/[;|\t\r\n]/)];
      expect(parts.filter((part) => /^["\s]*[=+\-@＝﹦＋﹢－﹣−＠﹫]/.test(part))).toEqual([]);
    }),
  );
});

test('a text keeps its characters: only apostrophes are added', () => {
  fc.assert(
    fc.property(cellText, (text) => {
      expect(csvText(text).replaceAll("'", '')).toBe(text.replaceAll("'", ''));
    }),
  );
});

describe('a text that a spreadsheet would read as a number, a date or a time begins with an apostrophe', () => {
  test.each([
    ...['12345678901234567890', '007', '12E34', '1e5', '1-2', '3/4', '50%', '€5', '1 000', '１２３'],
    ...['12:30', '12:30 pm', 'DEC2026', 'mar-1', '1 May', '2026-03-15'],
  ])('%s', (text) => {
    expect(csvText(text)).toBe(`'${text}`);
  });
});

test.each([
  'P-1',
  'SANDBOX0123456789012',
  'coins_100',
  'order-1001',
  'evt_12_uLFZ',
  'e1',
  '100 coins',
  '...',
])('the text %s is written as it is', (text) => {
  expect(csvText(text)).toBe(text);
});

test('an amount has the digits of its currency', () => {
  const written = [csvAmount(1299, 2), csvAmount(5, 2), csvAmount(0, 3), csvAmount(1_000_000_000_000, 4)];
  expect([...written, csvAmount(499, 0)]).toEqual(['12.99', '0.05', '0.000', '100000000.0000', '499']);
});

test('an instant is written in ISO 8601 with the offset that its zone has then, on both sides of each transition', () => {
  const zones = ['UTC', '+05:30', 'Europe/Berlin', 'Asia/Seoul', 'Australia/Lord_Howe', 'America/New_York'];
  // Some are within an hour of a transition in 2026.
  const near = (...instants: number[]) =>
    fc
      .tuple(fc.constantFrom(...instants), fc.integer({ min: -3_600_000, max: 3_600_000 }))
      .map(([transition, ms]) => transition + ms);
  const instant = fc.oneof(
    fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 }),
    near(Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1), Date.UTC(2026, 3, 4, 15)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.array(instant, { minLength: 1 }), (timeZone, instants) => {
      const written = csvInstants(timeZone);
      expect(instants.map(written)).toEqual(
        instants.map((ms) =>
          Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone, smallestUnit: 'millisecond' }),
        ),
      );
    }),
  );
});
