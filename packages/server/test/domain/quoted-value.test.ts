// How messages quote values of the caller.

import { expect, test } from 'vitest';
import { quoteJson, quoteValue } from '../../src/domain/quoted-value.ts';

test('a value of 48 characters is shown whole, and a longer one is cut after them', () => {
  const longest = 'v'.repeat(48);
  expect(quoteValue('')).toBe('""');
  expect(quoteValue(longest)).toBe(`"${longest}"`);
  expect(quoteValue(`${longest}w`)).toBe(`"${longest}..."`);
});

test('characters that could control a terminal are shown as question marks', () => {
  expect(quoteValue(' ~')).toBe('" ~"');
  expect(quoteValue('\u001f\u007f\u00e4\n\u001b[31m')).toBe('"?????[31m"');
});

test('a JSON string is shown in quotation marks, and other values without them', () => {
  expect(['5', 5, null, true, [], { a: 1 }, undefined].map(quoteJson)).toEqual([
    '"5"',
    '5',
    'null',
    'true',
    '[]',
    '{"a":1}',
    'nothing',
  ]);
  expect(quoteJson('v'.repeat(49).split(''))).toBe(`[${'"v",'.repeat(11)}"v"...`);
});

test('a value that is nested 30,000 levels deep is shown like any long one', () => {
  const levels = 30_000;
  expect(quoteJson(JSON.parse('['.repeat(levels) + ']'.repeat(levels)))).toBe(`${'['.repeat(48)}...`);
});
