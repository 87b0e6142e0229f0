// Texts with a pattern, and the words in which messages say what it requires.

import Type, { type TStringOptions } from 'typebox';

const meanings = new Map<string, string>();

/** A text that matches a pattern; messages say "expected <meaning>, got ...". */
export function patternText(pattern: string, meaning: string, options: TStringOptions = {}) {
  meanings.set(pattern, meaning);
  return Type.String({ pattern, ...options });
}

/** The requirement of a pattern in words; undefined for one that patternText has not made. */
export function meaningOf(pattern: string): string | undefined {
  return meanings.get(pattern);
}

/** SHA-256 in hexadecimal. */
export const hexadecimalHash = (options?: TStringOptions) =>
  patternText('^[0-9a-f]{64}$', '64 hexadecimal digits in lower case', options);
