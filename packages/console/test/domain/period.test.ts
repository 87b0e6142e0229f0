// The lengths of periods in words.

import { expect, test } from 'vitest';
import { firstPeriodText } from '../../src/values/period.ts';

test.each([
  ['P14D', '14 days'],
  ['P1W', '1 week'],
  ['P12M', '12 months'],
  ['P1Y', '1 year'],
])('a first period of %s lasts %s', (length, text) => {
  expect(firstPeriodText(length)).toBe(text);
});
