// Arbitrary values for the property tests.

import { sizes, timestampMax, timestampMin } from '@opentill/contract/fields.ts';
import fc from 'fast-check';
import type { PackageName } from '../../src/domain/identifiers.ts';
import type { CancelReason } from '../../src/domain/purchases/purchase.ts';

export const instants = fc.integer({ min: timestampMin, max: timestampMax });

export const secrets = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Buffer => Buffer.from(bytes));

export const identifiers = (sizeMax: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9._-]{1,${sizeMax}}$`)).filter((text) => !/^\.\.?$/.test(text));

export const packageNames = identifiers(sizes.packageName).map((text) => text as PackageName);

const surrogatesFrom = 0xd800;
const surrogatesCount = 0x800;

/** Any code point except surrogates, like the unit 'binary' of fast-check but without building a list of all of them. */
export const anyCharacter = fc
  .nat(0x10ffff - surrogatesCount)
  .map((place) => String.fromCodePoint(place < surrogatesFrom ? place : place + surrogatesCount));

export const cancelReasons = fc.constantFrom<CancelReason>('0', '1');

export const digits = (count: number) => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`));

const base64urlAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A base64url character, or one that a lax decoder skips or misreads. */
export const writtenCharacters = fc.constantFrom(...base64urlAlphabet, ...'+/= \n.\0é');

/** One text per position of `text`, with the character there replaced by a different one. */
export function withOneReplaced(text: string, replacements: readonly string[]): string[] {
  return [...text].flatMap((character, position) => {
    const replacement = replacements[position];
    if (replacement === undefined || replacement === character) return [];
    return [text.slice(0, position) + replacement + text.slice(position + 1)];
  });
}
