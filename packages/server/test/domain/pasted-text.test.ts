// Ids that were pasted: with what mails, chats and spreadsheets put around them.

import { idsIn, spellingsOf, withoutSurroundings } from '@opentill/contract/pasted-text.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvText } from '../../src/domain/csv-writing.ts';

const around = fc
  .array(
    fc.constantFrom(...' \t\r\n\u0085\u00a0\u00ad\u200b\u200e\u202a\u202c\u2060\u2069\u3000\u3164\ufeff'),
  )
  .map((characters) => characters.join(''));
const id = fc.stringMatching(/^[A-Za-z0-9._-](?:[A-Za-z0-9._ -]{0,18}[A-Za-z0-9._-])?$/);

test('an id is found in whatever surrounds it, and also as a CSV file has it', () => {
  fc.assert(
    fc.property(id, around, around, (given, before, after) => {
      for (const text of [given, csvText(given)]) {
        expect(withoutSurroundings(before + text + after)).toBe(given);
        expect(spellingsOf(before + text + after).at(-1)).toBe(given);
      }
    }),
  );
});

test('the given text comes first, and alone if nothing surrounds it or nothing else is there', () => {
  expect(spellingsOf(' ann ')).toEqual([' ann ', 'ann']);
  for (const text of ['ann', 'a b', "it's", '', ' ', "'", '\u200b'])
    expect(spellingsOf(text)).toEqual([text]);
  expect(idsIn({ buyerId: ' ann', limit: 50, state: undefined })).toEqual({ buyerId: 'ann', limit: 50 });
  expect(idsIn({ buyerId: 'ann', limit: 50 })).toBeUndefined();
});

test('a long text between spaces costs no more than its length', () => {
  const text = `x${' '.repeat(1_000_000)}x`;
  expect(withoutSurroundings(` ${text} `)).toBe(text);
});
