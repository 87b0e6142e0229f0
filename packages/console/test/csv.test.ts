// A saved list is safe to open in a spreadsheet.

import { describe, expect, test } from 'vitest';
import { csvOf } from '../src/parts/csv.ts';

describe('a cell that a spreadsheet would run as a formula is saved as text', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('%j', (text) => {
    expect(csvOf([[text]]).replaceAll('"', '')).toBe(`'${text}\r\n`);
  });
});

test('quotes, commas and line breaks stay inside their cell, and numbers are saved as they are', () => {
  expect(csvOf([['a"b', 'c,d', 'e\nf', -1, undefined]])).toBe('"a""b","c,d","e\nf",-1,\r\n');
});
