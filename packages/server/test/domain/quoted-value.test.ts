// How messages quote values of the caller.

import { expect, test } from 'vitest';
import {
  parseWithNumbersAsSent,
  quoteInstant,
  quoteJson,
  quoteValue,
} from '../../src/domain/text/quoted-value.ts';

test('a value of 48 characters is shown whole, and a longer one is cut after them', () => {
  const longest = 'v'.repeat(48);
  expect(quoteValue('')).toBe('""');
  expect(quoteValue(longest)).toBe(`"${longest}"`);
  expect(quoteValue(`${longest}w`)).toBe(`"${longest}..."`);
});

test('text outside ASCII is shown as it is, and cut between characters', () => {
  expect(quoteValue('Ärger 購入 🎮')).toBe('"Ärger 購入 🎮"');
  expect(quoteValue('🎮'.repeat(48))).toBe(`"${'🎮'.repeat(48)}"`);
  expect(quoteValue(`v${'🎮'.repeat(48)}`)).toBe(`"v${'🎮'.repeat(47)}..."`);
});

test('characters that could control a terminal or are not visible are shown as question marks', () => {
  expect(quoteValue(' ~')).toBe('" ~"');
  expect(quoteValue('\u001f\u007f\u0085\n\u001b[31m')).toBe('"?????[31m"');
  expect(quoteValue('\u202eback \u200b\u2028\ud800')).toBe('"?back ???"');
});

test('a number is shown as it was sent, whatever JavaScript rounds it to', () => {
  const shown = (text: string) => quoteJson(parseWithNumbersAsSent(text));
  const texts = ['9007199254740993', '1e999', '-0', '1.0', '5', '[99999999999999999999,"a"]', '{"a":1e2}'];
  expect(texts.map(shown)).toEqual(texts);
  expect(shown('"5"')).toBe('"5"');
});

test('a JSON string is shown in quotation marks, and other values without them', () => {
  const shown = ['"5"', '5', 'null', 'true', '[]', '{"a":1}', 'nothing'];
  expect(['5', 5, null, true, [], { a: 1 }, undefined].map(quoteJson)).toEqual(shown);
  expect(quoteJson('v'.repeat(49).split(''))).toBe(`[${'"v",'.repeat(11)}"v"...`);
});

test('a value that is nested 30,000 levels deep is shown like any long one', () => {
  const levels = 30_000;
  expect(quoteJson(JSON.parse('['.repeat(levels) + ']'.repeat(levels)))).toBe(`${'['.repeat(48)}...`);
});

test('an instant is shown in ms and as ISO 8601, for each number that can be one', () => {
  expect(quoteInstant(Date.UTC(2026, 2, 15, 12, 0, 0, 7))).toBe('1773576000007 (2026-03-15T12:00:00.007Z)');
  expect(quoteInstant(999_999_999_999)).toBe('999999999999 (2001-09-09T01:46:39.999Z)');
  expect(quoteInstant(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
});
