// How a message repeats a value that a caller sent.

import { expect, test } from 'vitest';
import { shownJson, shownValue } from '../../src/domain/shown-value.ts';

test('a value of 48 characters is shown whole, a longer one is cut after them', () => {
  const longest = 'v'.repeat(48);
  expect(shownValue('')).toBe('""');
  expect(shownValue(longest)).toBe(`"${longest}"`);
  expect(shownValue(`${longest}w`)).toBe(`"${longest}..."`);
});

test('what a terminal could take for more than text is shown as a question mark', () => {
  expect(shownValue(' ~')).toBe('" ~"');
  expect(shownValue('\u001f\u007f\u00e4\n\u001b[31m')).toBe('"?????[31m"');
});

test('a text of JSON has quotation marks, and what is none has not', () => {
  expect(['5', 5, null, true, [], { a: 1 }, undefined].map(shownJson)).toEqual([
    '"5"',
    '5',
    'null',
    'true',
    '[]',
    '{"a":1}',
    'nothing',
  ]);
  expect(shownJson('v'.repeat(49).split(''))).toBe(`[${'"v",'.repeat(11)}"v"...`);
});
