// Malicious texts for paths, queries, headers and bodies.

import fc from 'fast-check';
import { anyCharacter } from '../domain/arbitraries.ts';

/** The valid parts of a malicious request. */
export interface GoodValues {
  readonly token: string;
  readonly operatorKey: string;
  readonly packageName: string;
  readonly purchaseId: string;
  readonly clientSecret: string;
}

export const sql = [
  "' or '1'='1",
  "'; drop table purchase; --",
  "x' union all select version() --",
  '$1::text[]',
];
const percent = ['%', '%zz', '%00', '%c0%af', '%ed%a0%80', '%ff%fe', '%2e%2e%2f', '%25', '%0d%0ax-a: b'];
const odd = [
  ...['', ' ', '\u0000', '\u007f', '\u00ff\u00fe', '<script>alert(1)</script>', '9'.repeat(20)],
  ...'.. // \\ " * __proto__ constructor null NaN -1 1e999 a,b {"a":1}'.split(' '),
];
const sizes = [20, 21, 128, 129, 150, 151, 2_000, 9_000, 17_000];

export const long = fc
  .tuple(fc.constantFrom(...sizes), fc.constantFrom('a', '7', '%41', '%00', '\u00e9'))
  .map(([size, part]) => part.repeat(Math.ceil(size / part.length)));
export const binary = fc
  .string({ unit: anyCharacter, maxLength: 24 })
  .map((text) => Buffer.from(text, 'utf8').toString('latin1'));
/** Bytes that an HTTP parser accepts. */
const encoded = fc
  .uint8Array({ minLength: 1, maxLength: 16 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));

export const evil = fc.oneof(
  { arbitrary: fc.constantFrom(...sql).map((text) => encodeURIComponent(text)), weight: 4 },
  { arbitrary: fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(text)), weight: 4 },
  { arbitrary: encoded, weight: 3 },
  { arbitrary: fc.constantFrom(...percent), weight: 2 },
  { arbitrary: fc.constantFrom(...sql, ...odd), weight: 2 },
  long,
  binary,
);

/** Rarely invalid, so that other invalid parts of the request are reached. */
export const nearly = <Value>(good: Value, bad: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: fc.constant(good), weight: 7 }, { arbitrary: bad, weight: 1 });

/** Invalid half of the time. */
export const often = <Value>(good: Value, bad: fc.Arbitrary<Value>) => fc.oneof(fc.constant(good), bad);
