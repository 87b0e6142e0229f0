// The form in which a message repeats a value of the caller.

import { expect, test } from 'vitest';
import { shownJson, shownValue } from '../../src/domain/shown-value.ts';

test('a value of 48 characters is shown whole, and a longer one is cut after them', () => {
  const longest = 'v'.repeat(48);
  expect(shownValue('')).toBe('""');
  expect(shownValue(longest)).toBe(`"${longest}"`);
  expect(shownValue(`${longest}w`)).toBe(`"${longest}..."`);
});

test('characters that could control a terminal are shown as question marks', () => {
  expect(shownValue(' ~')).toBe('" ~"');
  expect(shownValue('\u001f\u007f\u00e4\n\u001b[31m')).toBe('"?????[31m"');
});

test('a JSON string is shown in quotation marks, and other values without them', () => {
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
