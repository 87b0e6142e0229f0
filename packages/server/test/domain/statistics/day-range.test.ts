// The days that a call for statistics covers.

import { expect, test } from 'vitest';
import { dayRangeProblem } from '../../../src/domain/statistics/day-range.ts';

test.each([
  ['2026-03-15', '2026-03-15'],
  ['2025-03-15', '2026-04-18'],
  ['2024-02-29', '2024-03-01'],
])('a call may cover the days from %s to %s', (from, to) => {
  expect(dayRangeProblem({ from, to })).toBeUndefined();
});

test.each([
  ['2026-02-29', '2026-03-15', 'from', 'expected a day such as 2026-03-15, got 2026-02-29'],
  ['0000-01-01', '2026-03-15', 'from', 'expected a day such as 2026-03-15, got 0000-01-01'],
  ['2026-03-15', '2026-13-01', 'to', 'expected a day such as 2026-03-15, got 2026-13-01'],
  ['2026-03-15', '2026-03-14', 'to', 'expected 2026-03-15 or later, got 2026-03-14'],
  [
    '2025-03-15',
    '2026-04-19',
    'to',
    'expected at most 2026-04-18, because a call covers 400 days, got 2026-04-19',
  ],
])('a call for the days from %s to %s is rejected', (from, to, name, message) => {
  expect(dayRangeProblem({ from, to })).toEqual({ name, message });
});
